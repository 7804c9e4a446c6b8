import { fileOf } from './fuzzed-resources.ts';
import { anyString, encode, headersOf } from './fuzzed-values.ts';
import type { Random } from './random.ts';

const FORM = /<form\b([^>]*)>(.*?)<\/form>/gs;
const CONTROL = /<(?:input|textarea|select|option|button)\b(?:"[^"]*"|[^>"])*>/g;
const LINK = /<a\b[^>]* href="(\/[^"]*)"/g;
/** What ends the session, or takes away what the other requests need. */
const ENDS = /^\/(?:sign-in|sign-out|you\/sessions)(?:\/|$)/;
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
const TOKEN = /^\/share\/[^/]*/;
const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'page', 'page[]', 'from', 'cursor', 'lang', '\0'] as const;
const ODD_TYPES = ['application/json', 'multipart/form-data', 'multipart/form-data; boundary=', 'text/html'] as const;
const ODD_METHODS = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'POST', 'GET'] as const;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const BOUNDARY = 'fuzzed-boundary';

/** What people would type into an empty field. */
const LIKELY: Readonly<Record<string, string>> = {
  email: 'a@example.com',
  url: 'https://example.com/',
  date: '2026-11-20',
  number: '7',
  text: 'a',
};

type Field = readonly [name: string, choices: string[]];
type Sent = readonly [name: string, value: string];

/** A form, or a link, which is a form without a button. */
interface Form {
  readonly path: string;
  readonly method: string;
  readonly hasFiles: boolean;
  readonly fields: readonly Field[];
}

/** A request near one that a browser would make. */
export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly sent: { readonly body?: string | Buffer; readonly headers: Readonly<Record<string, string>> };
}

/** Requests near the links and forms of pages, beginning with this one; the last of each kind is remembered. */
export function createFuzzedPages(start: string) {
  const forms = new Map([[start, linkTo(start)]]);
  return {
    next(random: Random): PageRequest {
      const all = [...forms.values()];
      // Most pages have more links than forms.
      const sent = random.below(2) === 0 ? all.filter(({ method }) => method !== 'GET') : [];
      return requestOf(random, random.pick((sent.length > 0 ? sent : all) as [Form, ...Form[]]));
    },

    /** Remembers where a page leads. */
    learn(path: string, html: string): void {
      const links = [...html.matchAll(LINK)].map(([, to = '']) => linkTo(unescaped(to)));
      for (const form of [...formsOf(path, html), ...links]) {
        if (ENDS.test(form.path)) continue;
        const kind = form.path.replace(ID, 'ID').replace(TOKEN, '/share/TOKEN');
        const size = form.method === 'GET' ? '' : form.fields.length;
        forms.set(`${form.method} ${kind} ${size}`, form);
      }
    },
  };
}

function linkTo(to: string): Form {
  const { pathname, searchParams } = new URL(to, 'http://any.example');
  return {
    path: pathname,
    method: 'GET',
    hasFiles: false,
    fields: [...searchParams].map(([name, value]) => [name, [value]]),
  };
}

function formsOf(page: string, html: string): Form[] {
  return [...html.matchAll(FORM)].map(([, head = '', content = '']) => {
    const link = linkTo(attribute(head, 'action') ?? page);
    const fields = [...link.fields, ...fieldsOf(content)];
    const method = (attribute(head, 'method') ?? 'get').toUpperCase();
    return { ...link, method, hasFiles: /multipart/.test(head), fields };
  });
}

function fieldsOf(content: string): Field[] {
  const fields: Field[] = [];
  for (const [control] of content.matchAll(CONTROL)) {
    const type = attribute(control, 'type') ?? '';
    const name = control.startsWith('<option') ? fields.at(-1)?.[0] : attribute(control, 'name');
    const value = attribute(control, 'value') || (LIKELY[type] ?? '');
    const choices =
      control.startsWith('<option') || type === 'radio' ? fields.find(([other]) => other === name)?.[1] : undefined;
    if (choices !== undefined) choices.push(value);
    else if (name !== undefined) fields.push([name, control.startsWith('<select') ? [] : [value]]);
  }
  return fields;
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(` ${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? undefined : unescaped(value);
}

function unescaped(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

/** Bytes; a form may have 1 MiB. */
const MORE_THAN_A_FORM = 1_100_000;

function requestOf(random: Random, form: Form): PageRequest {
  const method = random.below(30) === 0 ? random.pick(ODD_METHODS) : form.method;
  const segments = form.path
    .split('/')
    .map((segment, place) => (place > 1 && random.below(25) === 0 ? encode(anyString(random)) : segment));
  const fields = mutated(random, form.fields);
  const path = segments.join('/');
  const { cookie: _, origin: __, ...headers } = headersOf(random);
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') {
    return { method, path: `${path}?${encoded(random, fields)}`, sent: { headers } };
  }
  const long = random.below(300) === 0 ? `&${'x'.repeat(MORE_THAN_A_FORM)}` : '';
  const body = form.hasFiles ? multipart(random, fields) : Buffer.from(encoded(random, fields) + long);
  const usual = form.hasFiles ? `multipart/form-data; boundary=${BOUNDARY}` : FORM_TYPE;
  const type = random.below(25) === 0 ? random.pick(ODD_TYPES) : usual;
  const cut = random.below(25) === 0 ? body.subarray(0, random.below(body.length + 1)) : body;
  return { method, path, sent: { body: cut, headers: { ...headers, 'content-type': type } } };
}

/** The same fields with some of them replaced, left out, repeated or added. */
function mutated(random: Random, fields: readonly Field[]): Sent[] {
  const some = fields.flatMap(([name, choices]): Sent[] => {
    const chosen = choices[random.below(choices.length)] ?? '';
    const field: Sent = [name, random.below(6) === 0 ? anyString(random) : chosen];
    return Array.from({ length: [1, 1, 1, 1, 1, 1, 0, 2][random.below(8)] ?? 1 }, () => field);
  });
  while (random.below(4) === 0) some.push([random.pick(ODD_NAMES), anyString(random)]);
  if (random.below(100) === 0) return Array.from({ length: 1_000 }, (_, place) => [`f${place}`, '1']);
  return some;
}

/** Strings are mostly encoded, and sometimes raw. */
function encoded(random: Random, fields: readonly Sent[]): string {
  const text = (value: string) => (random.below(40) === 0 ? value.replace(/[^!-~]|#/g, '') : encode(value));
  return fields.map(([name, value]) => `${encode(name)}=${text(value)}`).join('&');
}

function multipart(random: Random, fields: readonly Sent[]): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const file = random.below(3) === 0 ? `; filename="${anyString(random).slice(0, 300)}"` : '';
    const content = file === '' && random.below(3) > 0 ? value : fileOf(random);
    return [`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`, content, '\r\n'];
  });
  const all = [...parts, `--${BOUNDARY}--\r\n`];
  return Buffer.concat(all.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}
