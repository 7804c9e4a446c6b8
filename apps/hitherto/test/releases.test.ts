import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { version as current } from '@hitherto/testing/machine';
import { describe, expect, onTestFinished, test } from 'vitest';
import { breakingChanges } from './support/additions.ts';
import { createTestDatabase, runCommand } from './support/commands.ts';
import { serveFaces } from './support/faces.ts';
import { call, runProgram, type Service, startService } from './support/program.ts';
import { backupOf, migrationsOf, releasedDataFolder } from './support/released-folder.ts';
import { OWNER, RELEASES, RELEASES_FOLDER, readReleased, SETTINGS, statementsOf } from './support/releases.ts';

/** The responses of the service to the requests of the release. */
async function responsesNow(service: Service, key: string, version: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const path of Object.keys(readReleased(version, 'responses.json'))) {
    const response = await call(service, key, path);
    expect([path, response.status]).toEqual([path, 200]);
    found[path] = (await response.json()).data;
  }
  return found;
}

/** A sign-in with the address and the password of the owner. */
function signIn({ url }: Service): Promise<Response> {
  const headers = { origin: url };
  return fetch(`${url}/sign-in`, { method: 'POST', headers, body: new URLSearchParams(OWNER), redirect: 'manual' });
}

test('this version is the one that was released last, or a later one', () => {
  expect(RELEASES).toContain('0.2.0');
  expect([...RELEASES, current].sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1)).toBe(
    current,
  );
});

describe.each(RELEASES)('What %s has written', (version) => {
  test('is a schema that its migrations still make', async () => {
    const schema = await readFile(join(RELEASES_FOLDER, version, 'schema.sql'), 'utf8');

    expect(await statementsOf(await migrationsOf(version))).toBe(schema);
  });

  test('is a backup that is restored with all that it has', async () => {
    const env = { ...(await createTestDatabase()), ...SETTINGS };

    const restored = await runCommand(['restore', backupOf(version)], env);

    expect(restored.code).toBe(0);
    const key = (await runCommand(['keys', 'create', '--account', 'default'], env)).stdout.trim();
    const service = await startService(env);
    expect(await responsesNow(service, key, version)).toMatchObject(readReleased(version, 'responses.json'));
    expect((await signIn(service)).status).toBe(303);
    await service.stop();
  });

  test('is a data folder that is upgraded at the start, and counts what trackers of that version send', async () => {
    const env = { DATA_DIR: await releasedDataFolder(version), ...SETTINGS };
    onTestFinished(() => rm(env.DATA_DIR, { recursive: true, force: true, maxRetries: 5 }));
    const service = await startService(env);
    const key = (await runProgram(['keys', 'create', '--account', 'default'], env)).stdout.trim();

    const responses = await responsesNow(service, key, version);
    const { data } = await (await call(service, key, '/api/v1/websites?search=shop')).json();
    const counted = Object.values(readReleased(version, 'hits.json')).map(async (hit) => {
      const response = await fetch(`${service.url}/hits`, {
        method: 'POST',
        headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0' },
        body: JSON.stringify(Object.assign({ website: data[0].id }, hit)),
      });
      return [response.status, response.headers.get('hitherto-dropped')];
    });

    expect(responses).toMatchObject(readReleased(version, 'responses.json'));
    expect(await Promise.all(counted)).toEqual(Array(counted.length).fill([202, null]));
    expect((await signIn(service)).status).toBe(303);
    await service.stop();
  });

  test('is an API that has changed by additions only', async () => {
    const faces = await serveFaces(() => new Date());
    const later = JSON.parse((await faces.send('GET', '/openapi.json')).text);

    expect(breakingChanges(readReleased(version, 'openapi.json.gz'), later)).toEqual([]);
    await faces.app.close();
  });
});

test.each([
  ['a path is gone', { paths: { '/a': { get: { responses: {} } } } }, { paths: {} }, ['get /a']],
  ['a field of a response is gone', response({ id: {}, name: {} }), response({ id: {} }), ['get /a 200 json name']],
  [
    'a field has another type',
    response({ id: { type: 'string' } }),
    response({ id: { type: 'integer' } }),
    ['get /a 200 json id string'],
  ],
  ['a request needs more', request({ id: {} }), request({ id: {} }, ['id']), ['post /a json id is required']],
  ['a field of a response was added', response({ id: {} }), response({ id: {}, name: {} }), []],
  ['a request may have more', request({ id: {} }), request({ id: {}, name: {} }), []],
])('a change of the API is found: %s', (_, earlier, later, found) => {
  expect(breakingChanges(earlier, later)).toEqual(found);
});

function response(properties: object) {
  return { paths: { '/a': { get: { responses: { 200: { content: { json: { schema: { properties } } } } } } } } };
}

function request(properties: object, required: readonly string[] = []) {
  const requestBody = { content: { json: { schema: { properties, required } } } };
  return { paths: { '/a': { post: { requestBody, responses: {} } } } };
}
