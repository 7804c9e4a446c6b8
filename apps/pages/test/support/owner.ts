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

// Attributes may hold `>`.
const TAG = /<(?:"[^"]*"|[^>"])*>/g;
const CONTROLS = /<input (?:"[^"]*"|[^>"])*>|<textarea (?:"[^"]*"|[^>"])*>[^<]*|<select .*?<\/select>/gs;

/** What a browser would send of the forms of a page, without the names of buttons. */
export function formOf(html: string): Record<string, string> {
  const form: Record<string, string> = {};
  for (const [control] of html.matchAll(CONTROLS)) {
    const [, name] = / name="([^"]*)"/.exec(control) ?? [];
    if (name === undefined || (/ type="(radio|checkbox)"/.test(control) && !/ checked/.test(control))) continue;
    const value = control.startsWith('<textarea')
      ? control.replace(TAG, '').replace(/^\n/, '')
      : control.startsWith('<select')
        ? /<option(?=[^>]* selected)[^>]* value="([^"]*)"/.exec(control)?.[1]
        : / value="([^"]*)"/.exec(control)?.[1];
    form[name] = unescaped(value ?? '').replaceAll(/\r?\n/g, '\r\n');
  }
  return form;
}

/** What a browser would send of the form of a page that goes to this address; `undefined` if there is none. */
export function formAt(html: string, action: string): Record<string, string> | undefined {
  const form = [...html.matchAll(/<form [^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].find(([, to]) => to === action);
  return form && formOf(form[2] ?? '');
}

function unescaped(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** The numbers on a page by their names in the API. */
export function numbersOf(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/data-metric="(\w+)"[^>]*>([^<]*)</g)].map(([, name, value]) => [name, value]),
  );
}

/** The faults on a page, by their fields. */
export function faultsOf(html: string): Record<string, string[]> {
  return Object.fromEntries(
    [...html.matchAll(/<ul class="fault" id="([^"]*)-fault">(.*?)<\/ul>/gs)].map(([, name, list = '']) => [
      name,
      [...list.matchAll(/<li>([^<]*)/g)].map(([, fault]) => unescaped(fault ?? '')),
    ]),
  );
}

/** The rows of a list of resources, without markup, and without the forms that open below them. */
export function wordsOf(html: string): string[] {
  const [, list = ''] = /<ul class="card definitions">(.*?)<\/ul>/s.exec(html) ?? [];
  return [...list.matchAll(/<li(?: class="opens")?>(.*?)<\/li>/gs)].map(([, row = '']) =>
    row
      .replace(/<\/summary>.*<\/details>/s, '')
      .replaceAll(/<\/(?:strong|p|a)>/g, ' ')
      .replaceAll(TAG, '')
      .replaceAll('&lt;', '<')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}
