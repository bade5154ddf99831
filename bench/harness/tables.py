"""Tables of one run, worst program first, and where they go in a page."""
import math
import statistics

from .sides import TITLES

# What counts as a miss: times as fast as JAX, numba and the C++ baseline.
BARS = {'jax': 0.9, 'numba': 0.85, 'cpp': 0.95}


def median(found, side):
    entry = found.get(side, {})
    return statistics.median(entry['seconds']) if entry.get('seconds') else None


def spread(found, side):
    times = found[side]['seconds']
    return max(times) / min(times)


def ratio(found, side):
    """How many times as fast as `side` dvmc is."""
    ours, theirs = median(found, 'dvmc'), median(found, side)
    return theirs / ours if ours and theirs else None


def number(value, form='.2f'):
    return '–' if value is None else format(value, form)


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def worst_first(measured, sides):
    """By the ratio that is furthest below its bar."""
    def key(item):
        ratios = [ratio(item['found'], s) / BARS[s] for s in sides if s in BARS and ratio(item['found'], s)]
        return (min(ratios, default=math.inf), item['program'])
    return sorted(measured, key=key)


def time_of(found, side):
    entry = found.get(side, {})
    if 'failed' in entry:
        return 'failed'
    if not entry.get('seconds'):
        return '–'
    return f'{1e3 * median(found, side):.3f} ({spread(found, side):.2f})'


def verdict(found):
    wrong = [f'{TITLES[s]}: {", ".join(f["wrong"])}' for s, f in found.items() if f.get('wrong')]
    failed = [f'{TITLES[s]} failed' for s, f in found.items() if 'failed' in f]
    return 'yes' if not wrong + failed else 'NO: ' + '; '.join(wrong + failed)


def times_table(measured, sides):
    said = ['| program | ' + ' | '.join(f'{TITLES[s]} ms' for s in sides) + ' | results right |',
            '| --- |' + ' ---: |' * len(sides) + ' --- |']
    for item in measured:
        said.append(f"| {item['program']} | " + ' | '.join(time_of(item['found'], s) for s in sides)
                    + f" | {verdict(item['found'])} |")
    return said


def ratios_table(measured, sides):
    others = [s for s in sides if s != 'dvmc']
    said = ['| program | ' + ' | '.join(f'{TITLES[s]} / dvmc' for s in others)
            + ' | share of the bound | of C++ | set by |',
            '| --- |' + ' ---: |' * (len(others) + 2) + ' --- |']
    for item in measured:
        found, bound = item['found'], item['bound']
        shares = [bound['seconds'] / median(found, s) if bound and median(found, s) else None for s in ('dvmc', 'cpp')]
        said.append(f"| {item['program']} | " + ' | '.join(number(ratio(found, s)) for s in others)
                    + ' | ' + ' | '.join(f'{100 * share:.0f} %' if share else '–' for share in shares)
                    + f" | {bound['by'] if bound else '–'} |")
    means = [number(geometric_mean([ratio(item['found'], s) for item in measured])) for s in others]
    said.append('| **geometric mean** | ' + ' | '.join(f'**{m}**' for m in means) + ' | | | |')
    return said


def compile_table(measured, sides):
    said = ['| program | dvmc cold s | dvmc from its cache s | JAX s | JAX / dvmc cold |',
            '| --- | ---: | ---: | ---: | ---: |']
    for item in measured:
        ours, jax = item['found'].get('dvmc', {}), item['found'].get('jax', {})
        theirs, cold = jax.get('compile_seconds'), ours.get('compile_seconds')
        said.append(f"| {item['program']} | {number(cold, '.3f')} | {number(ours.get('cached_seconds'), '.4f')} "
                    f"| {number(theirs, '.3f')} | {number(theirs and cold and theirs / cold, '.1f')} |")
    return said


def misses(measured, sides):
    """One line for each bar that a program does not reach."""
    said = []
    for item in measured:
        found, bound = item['found'], item['bound']
        below = [f'{number(ratio(found, s))} of {TITLES[s]} ({BARS[s]} wanted)' for s in sides
                 if s in BARS and ratio(found, s) and ratio(found, s) < BARS[s]]
        share = bound['seconds'] / median(found, 'dvmc') if bound and median(found, 'dvmc') else None
        if item['near'] and share and share < 0.85:
            below.append(f'{100 * share:.0f} % of its bound (85 wanted)')
        cold = found.get('dvmc', {}).get('compile_seconds')
        if cold and cold > 0.5:
            below.append(f'{cold:.2f} s to compile (0.5 wanted)')
        cached = found.get('dvmc', {}).get('cached_seconds')
        if cached and cached > 0.03:
            below.append(f'{1e3 * cached:.0f} ms from the cache (30 wanted)')
        jax = found.get('jax', {}).get('compile_seconds')
        if cold and jax and jax < 10 * cold:
            below.append(f"compiles {jax / cold:.1f} times as fast as JAX (10 wanted)")
        if below:
            said.append(f"- `{item['program']}`: " + '; '.join(below))
    return said


def absences(measured):
    """Why a side has no figure, each reason once."""
    said = {}
    for item in measured:
        for side, entry in item['found'].items():
            why = entry.get('missing') or entry.get('failed')
            if why:
                said.setdefault((TITLES[side], why), []).append(item['program'])
    return [f'- {title}: {why.removeprefix(title.lower() + ": ")} ({", ".join(names)})'
            for (title, why), names in said.items()]


def write_between(file, name, said):
    """Replaces what stands between the page's marks for `name`; the words around it are written by hand."""
    begin, end = f'<!-- bench/run {name} -->', f'<!-- end of bench/run {name} -->'
    page = file.read_text() if file.exists() else ''
    block = begin + '\n' + '\n'.join(said) + '\n' + end
    if begin in page and end in page:
        before, _, rest = page.partition(begin)
        file.write_text(before + block + rest.partition(end)[2])
    else:
        file.write_text(page + ('\n' if page else '') + block + '\n')
