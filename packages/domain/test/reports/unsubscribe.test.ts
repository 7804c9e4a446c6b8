import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isUnsubscribeToken, unsubscribeToken } from '../../src/reports/unsubscribe.ts';

const ID = '01997c3e-0000-7000-8000-000000000001';
const OTHER = '01997c3e-0000-7000-8000-000000000002';
const WEEKLY = { kind: 'weekly' } as const;

/** An installation, which keeps the first secret of a purpose. */
function installation() {
  const known = new Map<string, Uint8Array>();
  const secretOf = async (purpose: string, fresh: Uint8Array) => {
    if (!known.has(purpose)) known.set(purpose, fresh);
    return known.get(purpose) ?? fresh;
  };
  return { secrets: { secretOf }, randomBytes };
}

describe('an unsubscribe token', () => {
  it('is the same each time, and safe in a URL', async () => {
    const deps = installation();

    const tokens = [await unsubscribeToken(deps, ID, WEEKLY), await unsubscribeToken(deps, ID, WEEKLY)];

    expect(tokens[0]).toBe(tokens[1]);
    expect(tokens[0]).toMatch(/^[\w-]{43}$/);
  });

  it('is accepted for its website and installation only', async () => {
    const [deps, elsewhere] = [installation(), installation()];
    const token = await unsubscribeToken(deps, ID, WEEKLY);

    expect(await isUnsubscribeToken(deps, ID, token)).toBe(true);
    expect(await isUnsubscribeToken(deps, OTHER, token)).toBe(false);
    expect(await isUnsubscribeToken(elsewhere, ID, token)).toBe(false);
  });

  it('is of one kind of reports and one recipient', async () => {
    const deps = installation();
    const readers = [
      WEEKLY,
      { kind: 'monthly' },
      { kind: 'weekly', personId: ID },
      { kind: 'monthly', personId: ID },
    ] as const;
    const tokens = await Promise.all(readers.map((reader) => unsubscribeToken(deps, ID, reader)));
    const signatures = tokens.map((token) => token.split('.').at(-1));

    expect(new Set(signatures).size).toBe(4);
    expect(tokens.map((token) => token.split('.').slice(0, -1))).toEqual([[], ['monthly'], [ID], ['monthly', ID]]);
    expect(await Promise.all(tokens.map((token) => isUnsubscribeToken(deps, ID, token)))).not.toContain(false);
    for (const forged of [`monthly.${signatures[0]}`, `${ID}.${signatures[3]}`, signatures[1] ?? '']) {
      expect(await isUnsubscribeToken(deps, ID, forged)).toBe(false);
    }
  });

  it('is rejected if it is altered', async () => {
    const deps = installation();
    const token = await unsubscribeToken(deps, ID, WEEKLY);

    for (const text of ['', 'x', token.slice(1), `${token}AAAA`, token.toLowerCase(), '\0', 'é'.repeat(43), ID]) {
      expect(await isUnsubscribeToken(deps, ID, text)).toBe(false);
    }
  });

  it('is accepted in one spelling only', async () => {
    const deps = installation();
    const token = await unsubscribeToken(deps, ID, WEEKLY);
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last of 43 digits holds 4 bits of the 32 bytes, and 2 that decoders ignore.
    const sameBytes = token.slice(0, -1) + digits[digits.indexOf(token.slice(-1)) + 1];

    for (const text of [sameBytes, `${token}=`, ` ${token}`, `${token.slice(0, 9)}!${token.slice(9)}`]) {
      expect(await isUnsubscribeToken(deps, ID, text)).toBe(false);
    }
  });
});
