import { expect, test } from 'vitest';
import { expectNothingOf } from '../src/rows/generated-requests.ts';

const OWNED = '01997c3e-0000-7000-8000-000000000001';
const UNKNOWN = '01997c3e-0000-7000-8000-000000000002';

const check = (path: string, status: number, text = '') =>
  expectNothingOf(new Set([OWNED]), { method: 'GET', path, response: { status, headers: {}, text, ms: 1 } });

test("a key that reaches another account's website is detected", () => {
  expect(() => check(`/api/v1/websites/${OWNED}`, 200)).toThrow('gets 200');
  expect(() => check(`/websites/${OWNED}/destroy`, 204)).toThrow('gets 204');
  expect(() => check('/api/v1/websites', 200, `{"data":[{"id":"${OWNED}"}]}`)).toThrow(OWNED);
  expect(() => check('/api/v1/websites', 409, `{"existing_id":"${OWNED}"}`)).toThrow('gets 409');
});

test("a refusal and the account's own websites are accepted", () => {
  check(`/api/v1/websites/${OWNED}`, 404, `{"instance":"/api/v1/websites/${OWNED}"}`);
  check('/api/v1/websites', 200, `{"data":[{"id":"${UNKNOWN}"}]}`);
  check(`/api/v1/websites/${UNKNOWN}`, 200, `{"id":"${UNKNOWN}"}`);
});
