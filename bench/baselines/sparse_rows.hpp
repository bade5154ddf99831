// Sums over the rows of compressed sparse rows, shared out by elements, since a few rows are very
// long.
#pragma once

#include <omp.h>

#include <algorithm>

#include "baseline.hpp"

namespace bench {

/// The row in which element e lies: start[row] <= e < start[row + 1], the last such row.
inline int64_t row_of(const int64_t* start, int64_t rows, int64_t e) {
  return std::upper_bound(start, start + rows + 1, e) - start - 1;
}

/// `term(q)` summed over q = begin … end-1, in eight chains.
template <class Term>
double sum_terms(int64_t begin, int64_t end, const Term& term) {
  double sums[8] = {};
  int64_t q = begin;
  for (; q + 8 <= end; q += 8)
    for (int c = 0; c < 8; ++c) sums[c] += term(q + c);
  double total =
      ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  for (; q < end; ++q) total += term(q);
  return total;
}

/// What a thread knows of a row that it shares with another thread.
struct alignas(64) SharedRow {
  int64_t row = -1;
  double sum = 0;
};

/// This thread's part of the elements: calls finish(row, sum) for rows that are wholly its own; its
/// first and last row may be shared, and their part is left in `head` and `tail`.
template <class Term, class Finish>
void sum_rows(const int64_t* start, int64_t rows, Range elements, bool last_part, SharedRow& head,
              SharedRow& tail, const Term& term, const Finish& finish) {
  head = tail = SharedRow{};
  int64_t row = elements.begin == 0 ? 0 : row_of(start, rows, elements.begin);
  if (row < rows && start[row] < elements.begin) {
    head = {row, sum_terms(elements.begin, std::min(start[row + 1], elements.end), term)};
    ++row;
  }
  for (; row < rows && start[row + 1] <= elements.end; ++row) {
    if (!last_part && start[row] == elements.end)
      return;  // empty rows at the border are the next part's
    finish(row, sum_terms(start[row], start[row + 1], term));
  }
  if (row < rows && start[row] < elements.end)
    tail = {row, sum_terms(start[row], elements.end, term)};
}

}  // namespace bench
