"""Colours text by a TextMate grammar: what editors do with grammar/editor/dvm.tmLanguage.json.

Written from the format's documentation; patterns are Oniguruma's, which the `regex` module reads as far as our grammar
uses them (classes of Unicode, look-around). Supported: match, begin/end with back-references to begin's groups, captures,
name, contentName, patterns, include of the repository. A construct outside that set is an error, not a silent difference.
"""
import regex

KNOWN = {'name', 'contentName', 'match', 'begin', 'end', 'patterns', 'include', 'captures', 'beginCaptures', 'endCaptures'}


class Region:
    def __init__(self, rule, end, scopes, content):
        self.rule, self.end, self.scopes, self.content = rule, end, scopes, content


class Grammar:
    def __init__(self, grammar):
        self.repository = grammar['repository']
        self.root = {'patterns': grammar['patterns']}
        self.compiled = {}
        self.flat = {}

    def compile(self, text):
        if text not in self.compiled:
            self.compiled[text] = regex.compile(text)
        return self.compiled[text]

    def rules_of(self, container):
        """The rules that may match inside a container, includes resolved, in order."""
        key = id(container)
        if key not in self.flat:
            self.flat[key] = list(self.expand(container['patterns']))
        return self.flat[key]

    def expand(self, patterns):
        for rule in patterns:
            unknown = set(rule) - KNOWN
            if unknown:
                raise ValueError(f'the test knows nothing of {unknown}')
            if 'include' in rule:
                yield from self.expand([self.repository[rule['include'][1:]]])
            elif 'match' in rule or 'begin' in rule:
                yield rule
            else:
                yield from self.expand(rule['patterns'])

    def scopes(self, text):
        """For each line of the text a list with the scopes of each of its characters, outermost first."""
        stack = [Region(self.root, None, (), ())]
        return [self.line(line, stack) for line in text.split('\n')]

    def line(self, line, stack):
        scopes = [()] * len(line)
        position, opened_here = 0, []
        while True:
            top = stack[-1]
            best, rule = None, None
            if top.end is not None:
                best, rule = self.compile(top.end).search(line, position), 'end'
            for candidate in self.rules_of(top.rule):
                found = self.compile(candidate.get('match') or candidate['begin']).search(line, position)
                if found and (best is None or found.start() < best.start()):
                    best, rule = found, candidate
            stop = best.start() if best else len(line)
            scopes[position:stop] = [top.content] * (stop - position)
            if best is None:
                return scopes
            position = best.end()
            if rule == 'end':
                self.paint(scopes, best, top.scopes, top.rule.get('endCaptures', {}))
                if not best.group() and opened_here and opened_here[-1] == (top, position):
                    return scopes  # opened and closed without a step: an editor stops here as well
                stack.pop()
            elif 'match' in rule:
                if not best.group():
                    raise ValueError(f'an empty match of {rule["match"]}')
                self.paint(scopes, best, top.content + self.names(rule, 'name'), rule.get('captures', {}))
            else:
                inside = top.content + self.names(rule, 'name')
                self.paint(scopes, best, inside, rule.get('beginCaptures', {}))
                end = regex.sub(r'\\(\d)', lambda m: regex.escape(best.group(int(m[1]))), rule['end'])
                stack.append(Region(rule, end, inside, inside + self.names(rule, 'contentName')))
                opened_here.append((stack[-1], position))

    @staticmethod
    def names(rule, key):
        return (rule[key],) if key in rule else ()

    @staticmethod
    def paint(scopes, match, whole, captures):
        scopes[match.start():match.end()] = [whole] * (match.end() - match.start())
        for group, capture in captures.items():
            start, end = match.span(int(group))
            if start >= 0:
                scopes[start:end] = [whole + (capture['name'],)] * (end - start)
