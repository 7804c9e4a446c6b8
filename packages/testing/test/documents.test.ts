import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root, version } from '../src/machine.ts';

const filesOf = (folder: string, recursive = false) =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' }).map((name) => join(folder, name));
const DOCUMENTS = [
  ...filesOf('.'),
  ...filesOf('docs', true),
  ...filesOf('packages').flatMap((folder) => filesOf(folder)),
].filter((name) => name.endsWith('.md'));
/** The documents that describe the present. */
const PRESENT = DOCUMENTS.filter((document) => document !== 'CHANGELOG.md');
/** What looks like the hash of a commit, and is not part of a UUID. */
const COMMIT = /(?<![\w-])(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,40}(?![\w…-])/g;
const filesBelow = (name: string) =>
  ['apps', 'packages'].flatMap((group) =>
    filesOf(group).flatMap((folder) =>
      existsSync(join(root, folder, name)) ? filesOf(`${folder}/${name}`, true) : [],
    ),
  );
const TESTS = filesBelow('test');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

/** The anchors that GitHub gives to the headings of a document. */
function anchorsOf(file: string): string[] {
  const headings = textOf(file)
    .replace(/^```.*?^```/gms, '')
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Whether a link of a document leads to a file, and to a heading in it. */
function leadsSomewhere(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? document : normalize(join(dirname(document), path));
  return existsSync(join(root, file)) && (anchor === undefined || anchorsOf(file).includes(anchor));
}

describe.each(DOCUMENTS)('%s', (document) => {
  const text = textOf(document);

  test('has no dead links', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image ?? '',
    );

    const dead = links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(document, link));

    expect(dead).toEqual([]);
  });

  test('names only tests that exist', () => {
    const named = [...text.matchAll(/`([\w/.-]+\.(?:test|contract)\.ts)`/g)].map(([, name = '']) => name);

    const missing = named.filter((name) =>
      name.includes('/') ? !TESTS.includes(name) : TESTS.every((file) => basename(file) !== name),
    );

    expect(missing).toEqual([]);
  });
});

test('no document names a file or folder of the repository that does not exist, but the changelog', () => {
  const named = PRESENT.flatMap((document) => [...textOf(document).matchAll(/`((?:apps|packages)\/[\w./-]+)`/g)]);

  const missing = named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)));

  expect(missing).toEqual([]);
});

test('comments name only headings that exist', () => {
  const sources = [...filesBelow('src'), ...TESTS].filter((name) => /\.tsx?$/.test(name));
  const headings = DOCUMENTS.flatMap((name) =>
    [...textOf(name).matchAll(/^#+ .+$/gm)].map(([line]) => `${basename(name)} ${line.replaceAll('`', '')}`),
  );
  const named = sources.flatMap((source) =>
    [...textOf(source).matchAll(/([\w-]+\.md),? "([^"\n]+)"/g)].map(([, document = '', heading = '']) => ({
      source,
      document,
      heading,
    })),
  );

  const missing = named.filter(
    ({ document, heading }) => !headings.some((line) => line.startsWith(`${document} #`) && line.includes(heading)),
  );

  expect(named.length).toBeGreaterThan(100);
  expect(missing).toEqual([]);
});

test('all packages have the version of the repository', () => {
  const others = ['apps', 'packages']
    .flatMap((group) => filesOf(group))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => [folder, JSON.parse(textOf(`${folder}/package.json`)).version])
    .filter(([, found]) => found !== version);
  const named = [...DOCUMENTS, 'deploy/systemd/install.sh'].flatMap((document) =>
    [...textOf(document).matchAll(/hitherto[a-z-]*-(\d[\d.]*\d)\.tgz/g)].map(([, found]) => [document, found]),
  );

  expect([...others, ...named.filter(([, found]) => found !== version)]).toEqual([]);
  expect(textOf('CHANGELOG.md')).toMatch(new RegExp(`^## \\[(?:Unreleased|${version})\\]`, 'm'));
});

test('no document names a commit but the changelog: they describe the present', () => {
  const named = PRESENT.flatMap((document) => textOf(document).match(COMMIT) ?? []);

  expect(named).toEqual([]);
});
