import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProgram } from '@hitherto/testing/program';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../src/index.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));

test('the examples of the README work, one after the other', async () => {
  const program = await startProgram();
  onTestFinished(program.stop);
  const readme = await readFile(`${folder}README.md`, 'utf8');
  const [first = '', second = '', ...more] = Array.from(readme.matchAll(/```js\n(.*?)```/gs), ([, lines]) => lines);
  const outputOf = async (lines: string) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines], {
      cwd: folder,
      env: { HITHERTO_URL: program.baseUrl, HITHERTO_KEY: program.key },
    });
    return stdout;
  };

  const websites = await outputOf(first);
  const api = createClient(program);
  const [{ id: website = '' } = {}] = (await api.GET('/api/v1/websites')).data.data;
  const signup = { website, url: 'https://example.com/blog/a', name: 'Signup', props: { plan: 'pro', amount: 9.5 } };
  const hits = [
    { website, url: 'https://example.com/blog/a', visitor: 'reader' },
    { ...signup, visitor: 'reader' },
    { ...signup, url: 'https://example.com/prices', visitor: 'other' },
    { website, url: 'https://example.com/blog/b', visitor: 'third' },
  ];
  await api.POST('/api/v1/hits', { body: { hits } });
  const numbers = await outputOf(second);

  expect(first.trim().split('\n')).toHaveLength(5);
  expect(more).toEqual([]);
  expect(websites).toMatch(/^[-0-9a-f]{36} https:\/\/example\.com new\n$/);
  expect(numbers).toBe('Signup 1 9.5\nArticle 2\nSignup 1\n');
});
