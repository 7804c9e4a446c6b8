import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

// Which room imports which: the arrows point one way (README, the layout).

const SOURCE = join(import.meta.dirname, '../src');
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** What a file imports, as it stands there; types too. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target]) => target ?? '');
}

/** The files of apps/api/src that a file imports. */
function ownImportsOf(file: string): string[] {
  return importsOf(file)
    .filter((target) => target.startsWith('.'))
    .map((target) => relative(SOURCE, join(SOURCE, dirname(file), target)));
}

/** Each room may import those below it and itself. */
const ROOMS = ['app.ts', 'websites', 'operations', 'http'];
const roomOf = (file: string) => ROOMS.indexOf(file.split('/')[0] ?? '');

describe('apps/api', () => {
  test('has only the rooms that are known here', () => {
    expect(files.filter((file) => roomOf(file) === -1)).toEqual([]);
    expect(files.length).toBeGreaterThan(10);
  });

  test.each(files)('%s: no import of @hitherto/adapters', (file) => {
    const adapters = importsOf(file).filter((target) => target.startsWith('@hitherto/adapters'));

    expect(adapters).toEqual([]);
  });

  test.each(files)('%s: imports point downward', (file) => {
    for (const target of ownImportsOf(file)) {
      expect([file, target, roomOf(target) >= roomOf(file)]).toEqual([file, target, true]);
    }
  });

  test('websites and operations do not know each other', () => {
    for (const file of files) {
      for (const target of ownImportsOf(file)) {
        expect(`${file} ${target}`).not.toMatch(/^operations\/\S+ websites\//);
        expect(`${file} ${target}`).not.toMatch(/^websites\/\S+ operations\//);
      }
    }
  });

  test.each(files)('%s: no import runs in a circle', (file) => {
    const seen = new Set<string>();
    const visit = (from: string) => {
      for (const target of ownImportsOf(from)) {
        if (seen.has(target)) continue;
        seen.add(target);
        visit(target);
      }
    };

    visit(file);

    expect(seen).not.toContain(file);
  });

  test.each(files)('%s: neither the environment nor the clock is read', (file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');

    expect(text).not.toMatch(/process\.env|Date\.now\(\)|Math\.random\(\)/);
  });
});

describe('packages/domain', () => {
  const domain = join(import.meta.dirname, '../../../packages/domain/src');

  test.each(readdirSync(domain, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')))(
    '%s imports only node: built-ins, ipaddr.js and its own files',
    (file) => {
      const text = readFileSync(join(domain, file), 'utf8');
      const targets = [...text.matchAll(/from\s*'([^']+)'/g)].map(([, target]) => target ?? '');

      expect(targets.filter((target) => !/^(?:node:|\.|ipaddr\.js$)/.test(target))).toEqual([]);
    },
  );
});
