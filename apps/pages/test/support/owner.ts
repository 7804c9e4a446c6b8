import type { PagesUnderTest, Received, Sent } from './pages.ts';

const ORIGIN = { origin: 'https://stats.example' };

/** Sends a form from the service's own pages. */
export function postForm(
  pages: PagesUnderTest,
  path: string,
  form: NonNullable<Sent['form']>,
  sent: Sent = {},
): Promise<Received> {
  return pages.send('POST', path, { form, headers: ORIGIN, ...sent });
}

/** Signs in with a new key of the account. */
export async function signIn(
  pages: PagesUnderTest,
  scope: 'read' | 'write' = 'write',
): Promise<Pick<Received, 'cookies'>> {
  const key = await pages.issueKey(pages.accountId, { scope });
  const { cookies } = await postForm(pages, '/sign-in', { key });
  return { cookies };
}
