import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';

// Regular expressions that read values of files take linear time: a quadratic one takes minutes for a line of 1 MiB. They are
// found in the sources, so a new one is tested as well.

const FOLDERS = ['../../src/imports', '../../src/logs', '../../../domain/src/imports'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** A literal, which follows a character that no division follows. */
const LITERAL =
  /(?<=[\s(,=:?[!&|{;])\/(?![*/])((?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s.,;)\]}])/g;

function literalsIn(source: string): RegExp[] {
  const code = source.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '');
  return [...code.matchAll(LITERAL)].map(([, pattern = '', flags]) => new RegExp(pattern, flags));
}

function literals(): RegExp[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => literalsIn(readFileSync(`${folder}/${name}`, 'utf8'))),
  );
}

/** Those that are made while the program runs: of prefixes of lines, and of the formats of logs. */
async function compiled(): Promise<RegExp[]> {
  const made: RegExp[] = [];
  const recording = new Proxy(RegExp, {
    construct(target, [pattern, flags]: [string | RegExp, string | undefined]) {
      const expression = new target(pattern, flags);
      made.push(expression);
      return expression;
    },
  });
  // Tests of other files may have loaded these modules.
  vi.resetModules();
  vi.stubGlobal('RegExp', recording);
  const { findLogFormat, logFormat } = await import('../../src/logs/formats.ts');
  findLogFormat(['a line of no format']);
  logFormat('%v:%p %h %{X-Forwarded-For}i %l %u [%{%Y-%m-%d %H:%M:%S}t] "%m %U%q %H" %>s %U %q', []);
  vi.unstubAllGlobals();
  return made;
}

const EXPRESSIONS = new Map([...literals(), ...(await compiled())].map((found) => [String(found), found] as const));

/** The parts of a pattern: characters and classes, quantifiers, and what stands for no character. */
const PART =
  /(?<group>\((?:\?(?:<?[=!]|:|<\w+>))?|[)|^$]|\\b)|(?<quantifier>(?:[*+?]|\{\d+(?:,\d*)?\})\??)|\\(?:[pP]\{[^}]*\}|u[\da-f]{4}|.)|\[(?:\\.|[^\]\\])*\]|./gisu;

/** What parts may match, the most common first. */
const CHARACTERS = [
  ...['a', '0', ' ', '.', '/', '-', ';', '"', '\\', 'A', '\t', '\r', '\u2028', 'é'],
  ...Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)),
];

/** How many characters of a class are tried. */
const MAX_EXAMPLES = 3;

/** What is repeated for every expression. */
const UNITS = [' ', '0', 'a', ';', '"', "'", '/', '.', '[', ']', '%', '\\', '-', ':', 'a.', ' 0', '\\"'];

/** What ends the strings. `.` and `$` stop at line ends, which the last two have. */
const ENDS = ['', '\0', 'x\rx', 'x\u2028x'];

/** Strings that match what stands before each quantifier, and the characters that parts of the pattern match. */
function partsOf({ source, flags }: RegExp) {
  const starts = new Set(['']);
  const units = new Set(UNITS);
  let start = '';
  let last = '';
  for (const { 0: part, groups } of source.matchAll(PART)) {
    if (groups?.group !== undefined) {
      // The repeats of a group are those of its parts.
      last = '';
    } else if (groups?.quantifier === undefined) {
      const own = new RegExp(`^(?:${part})$`, flags.replace('g', ''));
      const examples = CHARACTERS.filter((character) => own.test(character)).slice(0, MAX_EXAMPLES);
      for (const example of examples) units.add(example).add(last + example);
      last = examples[0] ?? '';
      start += last;
    } else {
      const before = start.slice(0, start.length - last.length);
      starts.add(before);
      start = before + last.repeat(Number(/\d+/.exec(part)?.[0] ?? (part.startsWith('+') ? 1 : 0)));
    }
  }
  return { starts, units };
}

/** A quadratic expression takes 64 times as long for the long string, a linear one 8 times. */
const [SHORT, LONG, MAX_RATIO] = [2_000, 16_000, 25];
/** A quadratic one takes at least this long for the long string. Less is not measured well. */
const MIN_MS = 20;
/** An exponential or cubic one takes this long for one of these, and no end for longer strings. */
const FIRST = [24, 250, SHORT];

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The string that an expression takes more than linear time for. */
function slowString(expression: RegExp): string | undefined {
  const { starts, units } = partsOf(expression);
  const ends = /[.$]/.test(expression.source) ? ENDS : ENDS.slice(0, 2);
  const timeOf = (text: string) =>
    cpuMs(() => {
      expression.lastIndex = 0;
      expression.test(text);
    });
  // Other work only adds to it.
  const leastOf = (text: string) => Math.min(...Array.from({ length: 3 }, () => timeOf(text)));
  for (const start of starts) {
    for (const unit of units) {
      for (const end of ends) {
        const text = (length: number) => start + unit.repeat(length / unit.length) + end;
        if (FIRST.some((length) => timeOf(text(length)) >= MIN_MS && leastOf(text(length)) >= MIN_MS))
          return JSON.stringify([start, unit, end]);
        if (timeOf(text(LONG)) < MIN_MS) continue;
        const long = leastOf(text(LONG));
        if (long >= MIN_MS && long > MAX_RATIO * leastOf(text(SHORT))) return JSON.stringify([start, unit, end]);
      }
    }
  }
  return undefined;
}

describe('A regular expression that reads a file', () => {
  it('is found in the sources', () => {
    const code = 'const a = b.replace(/\\s+[\\d.]+$/, c) / 2 / d; // x\n/** /x/ */\nfoo(/[/:].*$/s)';

    expect(literalsIn(code).map(String)).toEqual(expect.arrayContaining(['/\\s+[\\d.]+$/', '/[/:].*$/s']));
    expect(literalsIn(code).map(String)).not.toContain('/x/');
    expect([...EXPRESSIONS.keys()]).toContain(String.raw`/^actionDetails_(\d+)_(\w+)$/`);
    expect(literals().length).toBeGreaterThan(70);
  });

  it('is found if it is made while the program runs', async () => {
    expect([...EXPRESSIONS.keys()].filter((text) => text.startsWith('/^(\\S+) '))).not.toEqual([]);
    expect([...EXPRESSIONS.keys()].filter((text) => text.includes('std(?:out|err)'))).not.toEqual([]);
  });

  it.each([
    [/\s+[\d.]+$/],
    [/^#Fields:\s*(.*)$/i],
    [/;.*$/],
    [/[/:].*$/],
    [/^\d{4}-\d\d\s*\s*$/],
    [/^(\S+) \[(\S+)(\S*)\] "$/],
    [/^(?:\w+\.?)+\w+$/],
  ])('is noticed if it takes more than linear time: %s', (expression) => {
    expect(slowString(expression)).toBeDefined();
  });

  it.each([...EXPRESSIONS])('takes linear time: %s', (_, expression) => {
    expect(slowString(expression)).toBeUndefined();
  });
});
