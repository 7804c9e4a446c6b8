import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const PROGRAM = new URL('../../src/imports/process/main.ts', import.meta.url);
const IMPORTED = /^(?:import|export) (?!type )[^;]*? from '([^']+)';/gm;

/** The packages that a module loads, or the modules that it imports. */
async function packagesOf(module: URL, seen = new Set<string>()): Promise<Set<string>> {
  const packages = new Set<string>();
  if (seen.has(module.href)) return packages;
  seen.add(module.href);
  for (const [, name = ''] of (await readFile(module, 'utf8')).matchAll(IMPORTED)) {
    if (!name.startsWith('.')) packages.add(name);
    else for (const inner of await packagesOf(new URL(name, module), seen)) packages.add(inner);
  }
  return packages;
}

describe('The program that reads a file for an import', () => {
  it('loads of the domain only what it needs, so that it starts quickly', async () => {
    const packages = [...(await packagesOf(PROGRAM))].filter((name) => !name.startsWith('node:'));

    expect(packages.sort()).toEqual(['@hitherto/domain/files', 'lru-cache', 'yauzl']);
  });
});
