// The tables are sorted by subject: there are few enough to look through all.
#include "frontend/check/other_names.hpp"

#include <array>

namespace dvm::check {
namespace {

constexpr std::string_view no_order =
    "programs are pure, nothing happens in an order: `map` applies a function to each element";
constexpr std::string_view no_lists =
    "there are no lists: `[x] ++ xs` puts an element before an array, `head` and `tail` take it "
    "off";
constexpr std::string_view no_output =
    "there is no input and output: the parameters of `main` are read and its result is printed";
constexpr std::string_view from_head =
    "fold from the first element: `foldl f (head xs) (tail xs)`; `maximum` and `reduce` run in "
    "parallel";
constexpr std::string_view no_strings =
    "there are no strings besides the messages of `error` and `assert`";
constexpr std::string_view strict = "evaluation is strict already";

constexpr std::array values = {
    // Haskell's lists
    OtherName{":", "", no_lists},
    OtherName{"!!", "!", "`!` indexes"},
    OtherName{"foldl1", "", from_head},
    OtherName{"foldr1", "", from_head},
    OtherName{"foldMap", "", "`reduce f neutral (map g xs)`"},
    OtherName{"scanl1", "", "`scan f neutral xs` gives as many results as elements"},
    OtherName{"scanr", "", "scan the reversed array: `reverse (scanl f x (reverse xs))`"},
    OtherName{"concat", "flatten", "`flatten` makes a vector of a matrix"},
    OtherName{"concatMap", "",
              "a comprehension with two generators flattens: `[ e | x <- xs, y <- ys ]`"},
    OtherName{"genericLength", "", "`fromIntegral (length xs)`"},
    OtherName{"iterate", "", "`iterateN n f x` applies `f` n times; `until p f x` until `p` holds"},
    OtherName{"repeat", "", "`replicate n x` makes n copies"},
    OtherName{"cycle", "", "``[ xs ! (i `mod` length xs) | i <- [0 .. n - 1] ]``"},
    OtherName{"takeWhile", "", "`filter` keeps elements by a condition, `take n` the first n"},
    OtherName{"dropWhile", "",
              "`filter` keeps elements by a condition, `drop n` all but the first n"},
    OtherName{"span", "", "`splitAt` splits at a place, `partition` by a condition"},
    OtherName{"break", "", "`splitAt` splits at a place, `partition` by a condition"},
    OtherName{"lookup", "",
              "`searchSorted xs x` finds a place in a sorted array, `findIndices` all places"},
    OtherName{"elemIndex", "", "`findIndices (== x) xs` gives all places"},
    OtherName{"findIndex", "", "`findIndices p xs` gives all places"},
    OtherName{"find", "", "`filter p xs` gives all elements, `findIndices p xs` all places"},
    OtherName{"notElem", "", "`not (elem x xs)`"},
    OtherName{"nub", "", "`fst (runLengths (sort xs))`"},
    OtherName{"group", "runLengths",
              "`runLengths` gives the values and how often each occurs in a row"},
    OtherName{"groupBy", "", "`reduceByKey` combines the elements of each key"},
    OtherName{"maximumBy", "", "`maximumOn f xs` compares by a key"},
    OtherName{"minimumBy", "", "`minimumOn f xs` compares by a key"},
    OtherName{"zip4", "", "`zipWith4` combines four arrays; arrays may hold tuples"},
    OtherName{"enumFromTo", "", "`[a .. b]`"},
    OtherName{"unfoldr", "",
              "`generate n f` makes n elements, `scanl` a sequence where each needs the last"},
    OtherName{"listArray", "",
              "`[a, b, c]` is an array; `unflatten n m xs` makes a matrix of a vector"},
    OtherName{"fromList", "", "`[a, b, c]` is an array already"},
    OtherName{"toList", "", "an array needs no conversion"},
    OtherName{"accumArray", "reduceByKey", "`reduceByKey f neutral size keys values`"},
    OtherName{"bounds", "", "indices go from 0 to `length xs - 1`"},
    // functors, monads, monoids
    OtherName{"fmap", "map", "`map` applies a function to each element"},
    OtherName{"<$>", "`map`", "`map f xs` applies a function to each element"},
    OtherName{"<&>", "", "`map f xs` applies a function to each element"},
    OtherName{"<*>", "", "`zipWith f xs ys` goes through two arrays side by side"},
    OtherName{"liftA2", "zipWith", "`zipWith f xs ys` goes through two arrays side by side"},
    OtherName{"mapM", "map", no_order},
    OtherName{"mapM_", "", no_order},
    OtherName{"forM", "", no_order},
    OtherName{"forM_", "", no_order},
    OtherName{"traverse", "map", no_order},
    OtherName{"sequence", "", no_order},
    OtherName{"return", "", "a function's result is its expression, without `return`"},
    OtherName{"pure", "", "a function's result is its expression, without `pure`"},
    OtherName{">>=", "", "there are no monads: name intermediate values with `let` or `where`"},
    OtherName{">>", "", "there are no monads: name intermediate values with `let` or `where`"},
    OtherName{"when", "", "`if … then … else …` has a value either way"},
    OtherName{"unless", "", "`if … then … else …` has a value either way"},
    OtherName{"<>", "++", "`++` joins arrays"},
    OtherName{"mappend", "", "`++` joins arrays"},
    OtherName{"mconcat", "flatten", "`flatten` makes a vector of a matrix"},
    // input and output, text
    OtherName{"print", "", no_output},
    OtherName{"putStrLn", "", no_output},
    OtherName{"printf", "", no_output},
    OtherName{"getLine", "", no_output},
    OtherName{"read", "", no_output},
    OtherName{"show", "", no_strings},
    OtherName{"trace", "", "`dvmc run --show` prints results; return a value to see it"},
    OtherName{"undefined", "",
              "`_` is a hole that tells the type it wants; `error \"…\"` stops the run"},
    // numbers, evaluation
    OtherName{"toInteger", "fromIntegral", "`fromIntegral` converts between integer types"},
    OtherName{"fromInteger", "fromIntegral", "`fromIntegral` converts between number types"},
    OtherName{"fromRational", "realToFrac", "`realToFrac` converts between `Float` and `Double`"},
    OtherName{"toRational", "", "there are no fractions of integers: use `Double`"},
    OtherName{"shift", "", "`shiftL` and `shiftR`"},
    OtherName{"seq", "", strict},
    OtherName{"$!", "$", strict},
    OtherName{"deepseq", "", strict},
    OtherName{"fix", "", "write a recursive function with a name"},
    // other languages
    OtherName{"!=", "/=", "`/=` is \"not equal\""},
    OtherName{"−", "-", "this is another character, which looks like it"},
    OtherName{"÷", "/", "`/` divides"},
    OtherName{"×", "*", "`*` multiplies"},
    OtherName{"%", "`mod`", "`mod` is the remainder"},
    OtherName{"//", "`div`", "`div` divides integers; `update xs i x` changes an element"},
    OtherName{"<<", "`shiftL`", "`shiftL` shifts to the left"},
    OtherName{"+=", "", "values do not change: name the sum, or use `iterateN`, `foldl` or `sum`"},
    OtherName{"-=", "", "values do not change: name the difference, or use `iterateN` or `foldl`"},
    OtherName{"*=", "",
              "values do not change: name the product, or use `iterateN`, `foldl` or `product`"},
    OtherName{":=", "", "values do not change: `let x = … in …` names a value"},
    OtherName{"true", "True", "the truth values are `True` and `False`"},
    OtherName{"false", "False", "the truth values are `True` and `False`"},
    OtherName{"len", "length", ""},
    OtherName{"shape", "",
              "`length xs`, `rows a` and `cols a`; the sizes of a signature are names in its body"},
    OtherName{"arange", "iota", "`iota n` is `[0 .. n - 1]`"},
    OtherName{"range", "iota", "`iota n` is `[0 .. n - 1]`"},
    OtherName{"ravel", "flatten", ""},
    OtherName{"reshape", "", "`flatten` and `unflatten n m` go between vectors and matrices"},
    OtherName{"concatenate", "", "`xs ++ ys`"},
    OtherName{"vstack", "", "`a ++ b` puts the rows of b below those of a"},
    OtherName{"append", "", "`xs ++ ys`"},
    OtherName{"zeros_like", "", "`map (const 0) xs`"},
    OtherName{"std", "", "`sqrt (mean (map (\\x -> (x - mean xs) ^ 2) xs))`"},
    OtherName{"pow", "", "`x ^ n` for a whole exponent, `x ** y` for a real one"},
    OtherName{"fabs", "abs", ""},
    OtherName{"fmod", "", "``x - y * fromIntegral (truncate (x / y))``"},
    OtherName{"argMax", "argmax", ""},
    OtherName{"float", "realToFrac", "`fromIntegral` makes a float of an integer"},
    OtherName{"int", "truncate",
              "`truncate`, `round`, `floor` and `ceiling` make integers of floats"},
};

constexpr std::array types = {
    OtherName{"Integer", "Int", "`Int` has 64 bits and wraps"},
    OtherName{"Natural", "Word", "`Word` has 64 bits and wraps"},
    OtherName{"Rational", "Double", "there are no fractions of integers"},
    OtherName{"Ratio", "", "there are no fractions of integers: use `Double`"},
    OtherName{"Char", "", no_strings},
    OtherName{"Text", "", no_strings},
    OtherName{"IO", "", no_output},
    OtherName{"List", "", "arrays have their size in the type: `Vec n a`"},
    OtherName{"Vector", "", "`Vec n a` is an array with n elements"},
    OtherName{"Matrix", "", "`Mat n m a` is an array with n rows and m columns"},
    OtherName{"Show", "", "results are printed without it"},
    OtherName{"Read", "", no_output},
    OtherName{"Functor", "", "`map` is for arrays"},
    OtherName{"Foldable", "", "folds and reductions are for arrays"},
    OtherName{"Traversable", "", "`map` is for arrays"},
    OtherName{"Monad", "", "there are no monads: name intermediate values with `let` or `where`"},
    OtherName{"Applicative", "", "`zipWith` goes through arrays side by side"},
    OtherName{"Semigroup", "", "`reduce` takes the operator as an argument"},
    OtherName{"Monoid", "", "`reduce` takes operator and neutral element as arguments"},
    OtherName{"Real", "Num", "`realToFrac` converts between `Float` and `Double`"},
    OtherName{"RealFloat", "RealFrac", ""},
    OtherName{"Boolean", "Bool", ""},
    OtherName{"bool", "Bool", ""},
    OtherName{"Real64", "Double", ""},
    OtherName{"Float32", "Float", "`Float` has 32 bits, `Double` 64"},
    OtherName{"Float64", "Double", "`Float` has 32 bits, `Double` 64"},
};

}  // namespace

const OtherName* other_name(std::string_view name, bool type) {
  const auto find = [&](const auto& table) -> const OtherName* {
    for (const OtherName& entry : table)
      if (entry.name == name) return &entry;
    return nullptr;
  };
  return type ? find(types) : find(values);
}

}  // namespace dvm::check
