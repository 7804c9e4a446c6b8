import { spawnSync } from 'node:child_process';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import { beforeAll, expect, test } from 'vitest';
import { startApi } from './support/api.ts';

// Generators for other languages read the OpenAPI document too; Python stands for them.

const hasPython = spawnSync('python3', ['--version']).status === 0;

let schemas: Readonly<Record<string, object>>;
let python: string;
beforeAll(async () => {
  const { app, document } = await startApi();
  await app.close();
  schemas = document.components.schemas;
  const schemaInput = new JSONSchemaInput(undefined);
  await schemaInput.addSource({ name: 'api', uris: ['#/components/schemas/'], schema: JSON.stringify(document) });
  const inputData = new InputData();
  inputData.addInput(schemaInput);
  python = (await quicktype({ inputData, lang: 'python' })).lines.join('\n');
});

/** The source of a class, up to the next class or function. */
function classOf(name: string): string {
  return new RegExp(`^class ${name}:\n.*?(?=^class |^def )`, 'ms').exec(python)?.[0] ?? '';
}

test('each schema of the document has functions to read and to write it', () => {
  const names = Object.keys(schemas).map((name) => name.replaceAll(/(?<=.)(?=[A-Z])/g, '_').toLowerCase());

  expect(names).toContain('create_website_json');
  for (const name of names) {
    expect(python).toContain(`def ${name}_from_dict(`);
    expect(python).toContain(`def ${name}_to_dict(`);
  }
});

test.each(['CreateWebsite', 'UpdateWebsite'])('%s is one type in JSON and another in forms', (name) => {
  expect(classOf(`${name}JSON`)).toMatch(/^ {4}privacy: int \| None = None$/m);
  expect(classOf(`${name}Form`)).toMatch(/^ {4}privacy: int \| None = None$/m);
});

test('integers, dates and nullable text of a response have their types', () => {
  const website = classOf('Website');

  // Keys of viewers get no settings.
  expect(website).toMatch(/^ {4}privacy: int \| None = None$/m);
  expect(website).toMatch(/^ {4}created_at: datetime$/m);
  expect(website).toMatch(/^ {4}exclude_ips: str \| None = None$/m);
});

test.skipIf(!hasPython)('Python compiles the types, if it is installed', () => {
  const program = 'import sys; compile(sys.stdin.read(), "types.py", "exec")';

  const { status, stderr } = spawnSync('python3', ['-c', program], { input: python, encoding: 'utf8' });

  expect([status, stderr]).toEqual([0, '']);
});
