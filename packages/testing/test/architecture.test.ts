import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PACKAGES, PURE, ROOMS } from './arrows.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDERS = ['apps', 'packages']
  .flatMap((group) => readdirSync(join(ROOT, group)).map((folder) => `${group}/${folder}`))
  .filter((folder) => existsSync(join(ROOT, folder, 'package.json')));
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|tsx)$/.test(name))
    .map((name) => `${folder}/src/${name}`),
).sort();
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const SOURCES = new Map(FILES.map((file) => [file, textOf(file)]));

/** What a source imports: files of this repository by path, everything else by name. */
function importsOf(file: string, text: string): string[] {
  const pattern = /(?:^|[\s;}])(?:import|from)\s*['"]([^'"]+)['"]|\b(?:import|require)\s*\(\s*['"`]?([^'"`)]*)/g;
  return [...text.matchAll(pattern)].map((match) => {
    const target = match[1] ?? match[2] ?? '';
    return target.startsWith('.') ? normalize(join(dirname(file), target)) : target;
  });
}

const IMPORTS = new Map([...SOURCES].map(([file, text]) => [file, importsOf(file, text)]));
/** Each import of a source, as "file imports target", that is not as it must be. */
const wrongImports = (isWrong: (file: string, target: string) => boolean) =>
  [...IMPORTS].flatMap(([file, targets]) =>
    targets.filter((target) => isWrong(file, target)).map((target) => `${file} imports ${target}`),
  );

/** The room of a file, as its folder and the name of the room; the name is absent for a file next to the rooms. */
function roomOf(file: string): { readonly folder: string; readonly room: string | undefined } {
  const [group, name, , ...path] = file.split('/');
  return { folder: `${group}/${name}`, room: path.length > 1 ? path[0] : undefined };
}

const roomsOf = (folder: string) => ROOMS[folder]?.split(/\s+/);

/** Whether the file may import another one of this repository. */
function mayImport(file: string, target: string): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  const rooms = roomsOf(from.folder);
  if (from.folder !== to.folder) return false;
  if (rooms === undefined || from.room === undefined || from.room === to.room) return true;
  return to.room !== undefined && rooms.indexOf(to.room) < rooms.indexOf(from.room);
}

describe('The rooms of a package', () => {
  test.each(Object.keys(ROOMS))('%s has exactly these', (folder) => {
    const folders = readdirSync(join(ROOT, folder, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);

    expect([...(roomsOf(folder) ?? [])].sort()).toEqual(folders.sort());
  });

  test('import themselves and lower ones', () => {
    expect(wrongImports((file, target) => SOURCES.has(target) && !mayImport(file, target))).toEqual([]);
  });
});

describe('A folder that only computes', () => {
  test.each(PURE)('%s imports nothing else', (folder) => {
    const within = (file: string) => file.startsWith(`${folder}/`);
    const allowed = (target: string) => /^(?:node:|@hitherto\/domain\/)/.test(target) || within(target);

    expect(wrongImports((file, target) => within(file) && !allowed(target))).toEqual([]);
  });
});

describe('The packages', () => {
  test('are all in the table', () => {
    expect(Object.keys(PACKAGES).sort()).toEqual(FOLDERS.sort());
  });

  test('import only those that they may import', () => {
    const mayImportPackage = (file: string, name: string) => PACKAGES[roomOf(file).folder]?.includes(name);

    expect(
      wrongImports((file, target) => {
        const name = /^@hitherto\/([^/]+)/.exec(target)?.[1];
        return name !== undefined && !mayImportPackage(file, name);
      }),
    ).toEqual([]);
  });
});

describe('The manifest of a package', () => {
  /** Tools that are run, not imported. */
  const RUN = ['@hitherto/program', 'typescript', 'openapi-typescript'];

  const quoted = (folder: string, within: readonly string[]) =>
    within
      .filter((part) => existsSync(join(ROOT, folder, part)))
      .flatMap((part) =>
        readdirSync(join(ROOT, folder, part), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${part}/${name}`,
        ),
      )
      .filter((name) => /\.(?:ts|tsx|mjs)$/.test(name))
      .map(textOf)
      .join('\n');
  const unused = (names: Readonly<Record<string, string>> = {}, text: string) =>
    Object.keys(names).filter(
      (name) => !RUN.includes(name) && !name.startsWith('@types/') && !new RegExp(`['"/]${name}['"/]`).test(text),
    );

  test.each(FOLDERS)('%s declares nothing that its sources and tests do not name', (folder) => {
    const { dependencies, devDependencies } = JSON.parse(textOf(`${folder}/package.json`));

    expect(unused(dependencies, quoted(folder, ['src']))).toEqual([]);
    expect(unused(devDependencies, quoted(folder, ['src', 'test', 'scripts']))).toEqual([]);
  });

  test.each(FOLDERS)('%s leaves compilers, types and what only tests need to others', (folder) => {
    const { dependencies = {} } = JSON.parse(textOf(`${folder}/package.json`));
    const names = Object.keys(dependencies).filter((name) => /^(?:@types\/|typescript$|vitest$|esbuild$)/.test(name));

    expect(names).toEqual([]);
  });
});

describe('The files', () => {
  test('are in no import cycle', () => {
    const withoutTypes = new Map(
      [...SOURCES].map(([file, text]) => {
        const imports = importsOf(file, text.replace(/(?:import|export) type [^;]*;/g, ''));
        return [file, imports.filter((target) => SOURCES.has(target))];
      }),
    );
    const done = new Set<string>();
    /** The files of a cycle that the path leads into. */
    const findCycle = (path: readonly string[], file: string): readonly string[] | undefined => {
      if (path.includes(file)) return [...path, file];
      if (done.has(file)) return undefined;
      for (const target of withoutTypes.get(file) ?? []) {
        const cycle = findCycle([...path, file], target);
        if (cycle !== undefined) return cycle;
      }
      done.add(file);
      return undefined;
    };

    expect(FILES.flatMap((file) => findCycle([], file) ?? [])).toEqual([]);
  });

  const SERVING = [...SOURCES].filter(([file]) =>
    /^(?:apps|packages\/(?:domain|wire|http|postgres|clickhouse|memory|files|outside))\//.test(file),
  );
  const READS_THE_ENVIRONMENT = /^apps\/hitherto\/src\/(?:main|program)\.ts$/;
  const READS_THE_CLOCK =
    /^apps\/hitherto\/|^apps\/collector\/src\/tracker\/|^packages\/(?:postgres\/src\/|outside\/src\/system\.ts$)|^packages\/http\/src\/server\/connections\.ts$/;

  test.each([
    ['environment', READS_THE_ENVIRONMENT, /process\.env/],
    ['clock', READS_THE_CLOCK, /Date\.now\(|new Date\(\)/],
  ])('read the %s nowhere else', (_, readers, read) => {
    const reading = SERVING.filter(([file, text]) => !readers.test(file) && read.test(text)).map(([file]) => file);

    expect(reading).toEqual([]);
  });
});
