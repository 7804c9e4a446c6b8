import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ARROWS } from './arrows.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PACKAGES = ['apps', 'packages'].flatMap((group) =>
  readdirSync(join(ROOT, group)).flatMap((folder) => {
    const manifest = join(ROOT, group, folder, 'package.json');
    if (!existsSync(manifest)) return [];
    const { name }: { name: string } = JSON.parse(readFileSync(manifest, 'utf8'));
    return [{ name, folder: `${group}/${folder}` }];
  }),
);
const FILES = PACKAGES.flatMap(({ folder }) =>
  readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|tsx)$/.test(name))
    .map((name) => `${folder}/src/${name}`),
).sort();
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** What a file imports, optionally without types: files of this repository by path, everything else by name. */
function importsOf(file: string, withTypes = true): string[] {
  const pattern = /(?:^|[\s;}])(?:import|from)\s*['"]([^'"]+)['"]|\b(?:import|require)\s*\(\s*['"`]?([^'"`)]*)/g;
  const text = withTypes ? textOf(file) : textOf(file).replace(/(?:import|export) type [^;]*;/g, '');
  return [...text.matchAll(pattern)].map((match) => {
    const target = match[1] ?? match[2] ?? '';
    return target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
  });
}

/** The entry of the table for a file: the longest path that it lies under. */
function placeOf(file: string): string | undefined {
  return Object.keys(ARROWS)
    .filter((place) => file === place || file.startsWith(`${place}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function isAllowed(file: string, target: string): boolean {
  const place = placeOf(file);
  if (place === undefined) return false;
  if (isBuiltin(target)) return true;
  const packageOf = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : target;
  return [place, ...(ARROWS[place] ?? [])].some((allowed) => {
    if (allowed === 'npm') return !packageOf.startsWith('@hitherto/') && !FILES.includes(target);
    return packageOf === allowed || target === allowed || target.startsWith(`${allowed}/`);
  });
}

describe('The table of imports', () => {
  test('names only existing places, and every file is in one', () => {
    expect(Object.keys(ARROWS).filter((place) => !existsSync(join(ROOT, place)))).toEqual([]);
    expect(FILES.filter((file) => placeOf(file) === undefined)).toEqual([]);
    expect(FILES.length).toBeGreaterThan(150);
  });

  test.each(FILES)('allows what %s imports', (file) => {
    expect(importsOf(file).filter((target) => !isAllowed(file, target))).toEqual([]);
  });

  test('is what the linter enforces between packages', () => {
    const { overrides }: { overrides: LintOverride[] } = JSON.parse(textOf('biome.json'));
    for (const { name, folder } of PACKAGES) {
      const allowed = new Set(
        Object.entries(ARROWS).flatMap(([place, targets]) => (place.startsWith(`${folder}/`) ? targets : [])),
      );
      const forbidden = PACKAGES.map((other) => other.name).filter((other) => other !== name && !allowed.has(other));
      const linted = overrides
        .filter(({ includes }) => includes.length === 1 && includes[0] === `${folder}/src/**`)
        .flatMap((override) => override.linter.rules.style.noRestrictedImports.options.patterns)
        .flatMap(({ group }) => group);

      expect([folder, linted.filter((pattern) => pattern.startsWith('@hitherto/')).sort()]).toEqual([
        folder,
        forbidden.flatMap((other) => [other, `${other}/*`]).sort(),
      ]);
    }
  });
});

interface LintOverride {
  readonly includes: readonly string[];
  readonly linter: {
    readonly rules: {
      readonly style: {
        readonly noRestrictedImports: {
          readonly options: { readonly patterns: readonly { group: readonly string[] }[] };
        };
      };
    };
  };
}

describe('Every file', () => {
  test.each(FILES)('%s is in no import cycle', (file) => {
    const seen = new Set<string>();
    const visit = (from: string) => {
      for (const target of importsOf(from, false)) {
        if (!FILES.includes(target) || seen.has(target)) continue;
        seen.add(target);
        visit(target);
      }
    };

    visit(file);

    expect(seen).not.toContain(file);
  });

  const SERVING = FILES.filter((file) => /^(?:apps|packages\/(?:domain|http|adapters))\//.test(file));
  const READS_THE_CLOCK =
    /^apps\/hitherto\/|^packages\/adapters\/src\/(?:postgres\/|system\.ts$)|^packages\/http\/src\/server\/connections\.ts$/;

  test.each(SERVING)('%s: only main.ts reads the environment, and the time comes in as a function', (file) => {
    const text = textOf(file);

    if (file !== 'apps/hitherto/src/main.ts') expect(text).not.toMatch(/process\.env/);
    if (!READS_THE_CLOCK.test(file)) expect(text).not.toMatch(/Date\.now\(|new Date\(\)/);
  });
});

describe('packages/domain/src/index.ts', () => {
  test('is named re-exports only', () => {
    const rest = textOf('packages/domain/src/index.ts').replace(/^export (?:type )?\{[^{}*]+\} from '\.[^']+';$/gm, '');

    expect(rest.trim()).toBe('');
  });
});
