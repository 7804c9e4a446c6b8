import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const textOf = (name: string) => readFileSync(join(SRC, name), 'utf8');

/** What a file loads, by `import`, `export … from`, `import()` or `require()`. */
function importsOf(name: string): string[] {
  const pattern = /(?:^|[\s;}])(?:import|from)\s*['"]([^'"]+)['"]|\b(?:import|require)\s*\(\s*['"`]?([^'"`)]*)/g;
  return [...textOf(name).matchAll(pattern)].map((match) => match[1] ?? match[2] ?? '');
}

function isOfTheDomain(name: string, target: string): boolean {
  if (target === 'ipaddr.js') return true;
  if (target === 'fast-check') return name.endsWith('testing.ts');
  if (target.startsWith('node:')) return isBuiltin(target);
  const file = relative(SRC, resolve(SRC, dirname(name), target));
  return /^\.\.?\//.test(target) && FILES.includes(file);
}

describe('src', () => {
  test('has files, and they import something', () => {
    expect(FILES.length).toBeGreaterThan(10);
    expect(FILES.flatMap(importsOf)).toContain('ipaddr.js');
  });

  test.each(FILES)('%s imports only node: built-ins, ipaddr.js or files of src', (name) => {
    const foreign = importsOf(name).filter((target) => !isOfTheDomain(name, target));

    expect(foreign).toEqual([]);
  });

  test.each(FILES)('%s leaves testing.ts to the tests', (name) => {
    if (name === 'testing.ts') return;

    expect(importsOf(name).filter((target) => target.endsWith('/testing.ts'))).toEqual([]);
  });

  test.each(FILES)('%s reads neither the environment nor the clock by itself', (name) => {
    expect(textOf(name)).not.toMatch(/process\.env|Date\.now\(|new Date\(\)/);
  });
});

describe('index.ts', () => {
  const text = textOf('index.ts');

  test('is named re-exports only', () => {
    const rest = text.replace(/^export (?:type )?\{[^{}*]+\} from '\.[^']+';$/gm, '').trim();

    expect(rest).toBe('');
  });

  test('names nothing twice and renames nothing', () => {
    const names = [...text.matchAll(/\{([^}]+)\}/g)].flatMap(([, list = '']) =>
      list
        .split(',')
        .map((name) => name.replace(/^\s*type\s/, '').trim())
        .filter(Boolean),
    );

    expect(names.filter((name) => !/^\w+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });
});
