import { freePort } from '@hitherto/testing/free-port';
import { startIdentityProvider } from '@hitherto/testing/identity-provider';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder, startService } from './support/program.ts';

// The program with a sign-in provider (providers.md).

test('people sign in through the provider of the settings, and it may be away', async () => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const provider = await startIdentityProvider({ callbackUrl: `${origin}/sign-in/oidc/callback` });
  onTestFinished(() => provider.close());
  provider.user = { sub: 'a', email: 'a@example.com', email_verified: true, name: 'Ægir', roles: ['/staff'] };
  provider.quirks = { status: 503 };

  const service = await startService({
    DATA_DIR: await dataFolder(),
    PORT: String(port),
    PUBLIC_URL: origin,
    OIDC_ISSUER: `${provider.issuer}/`,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: 'Ægir & Staff',
    OIDC_GROUPS: 'staff=default:owner',
    OIDC_GROUPS_CLAIM: 'roles',
    OIDC_SESSION_HOURS: '8',
    PASSWORDS: 'off',
  });
  expect(provider.paths).toEqual([]);
  expect(await (await fetch(origin)).text()).toContain('Sign in with Ægir &amp; Staff');
  expect((await fetch(`${origin}/sign-in/oidc`)).status).toBe(503);
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);

  provider.quirks = { claims: (claims) => ({ ...claims, roles: ['/staff'] }) };
  const began = await fetch(`${origin}/sign-in/oidc`, { redirect: 'manual' });
  const callback = await provider.authorize(began.headers.get('location') ?? '');
  const [cookie = ''] = began.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const came = await fetch(callback, { redirect: 'manual', headers: { cookie } });
  expect([came.status, came.headers.get('location')]).toEqual([303, '/']);
  const session = came.headers.getSetCookie().find((line) => line.startsWith('hitherto_session='));
  expect(session).toContain('Max-Age=28800');
  const headers = { cookie: session?.split(';', 1)[0] ?? '' };
  expect(await (await fetch(`${origin}/you`, { headers })).text()).toContain('a@example.com');

  const { stdout, stderr } = await service.stop();
  for (const secret of [provider.clientSecret, 'a@example.com', new URL(callback).searchParams.get('code') ?? '']) {
    expect(stdout + stderr).not.toContain(secret);
  }
});
