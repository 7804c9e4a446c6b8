import fastify from 'fastify';
import { expect, test } from 'vitest';
import { compressTexts } from '../src/server/compress-texts.ts';

const TEXT = 'é'.repeat(1_024);

function aScope(text = TEXT) {
  const scope = fastify();
  compressTexts(scope);
  scope.get('/', (_request, reply) => reply.send(text));
  scope.get('/varied', (_request, reply) => reply.header('vary', 'Cookie').send(text));
  return scope;
}

test.each([
  'gzip',
  'GZip',
  'gzip;q=1.0',
  'gzip; Q=0.5',
  'br;q=1.0, gzip;q=0.8, *;q=0.1',
  'deflate, gzip',
  'gzip, identity',
  '*',
  'identity;q=0, *',
])('a client that sends Accept-Encoding: %s gets gzip', async (accepted) => {
  const scope = aScope();

  const { headers, rawPayload } = await scope.inject({ path: '/', headers: { 'accept-encoding': accepted } });

  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(headers['content-length']).toBe(String(rawPayload.length));
  expect(rawPayload.length).toBeLessThan(100);
});

test.each([
  undefined,
  '',
  'br',
  'x-gzip2',
  'gzip;q=0',
  'gzip;q=0.000',
  'gzip;q=0, *',
  'identity',
  'identity, gzip;q=0.5',
  '*;q=0',
])('a client that sends Accept-Encoding: %s gets the text as it is', async (accepted) => {
  const scope = aScope();

  const { headers, body } = await scope.inject({
    path: '/',
    headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
  });

  expect(headers['content-encoding']).toBeUndefined();
  expect(headers.vary).toBe('Accept-Encoding');
  expect(body).toBe(TEXT);
});

test('a response that varies already varies by the encoding, too', async () => {
  const { headers } = await aScope().inject('/varied');

  expect(headers.vary).toBe('Cookie, Accept-Encoding');
});

test('a short text is not compressed, and does not vary', async () => {
  const scope = aScope('short');

  const { headers, body } = await scope.inject({ path: '/', headers: { 'accept-encoding': 'gzip' } });

  expect([headers['content-encoding'], headers.vary, body]).toEqual([undefined, undefined, 'short']);
});
