import { groupBy } from '../base/group-by.ts';
import { bySize, type Check, nameOfCleanup } from './check.ts';
import { excludeParameter, parametersIn } from './page-parameters.ts';

const SECRETS = ['email', 'token', 'iban'] as const;
type Secret = (typeof SECRETS)[number];

export interface SecretInPage {
  readonly secret: Secret;
  /** The query parameter; `null` if it is in the path. */
  readonly param: string | null;
  /** The page, without the secret. */
  readonly page: string;
  readonly pages: number;
}

/** An address of a page that looks as if it had something personal or secret in it. */
export const secretInPage: Check<SecretInPage> = {
  find({ website, pages, days }) {
    const parametersOf = parametersIn(website);
    const found = pages.flatMap(({ value }) => {
      const page = value ?? '';
      const inQuery = parametersOf(page).flatMap(({ name, value: text, without }) => {
        const secret = secretIn(text, NAMES_OF_TOKENS.test(name));
        return secret === undefined ? [] : [{ secret, param: name, page: without }];
      });
      return [...inQuery, ...secretsInPath(page)];
    });
    return [...groupBy(found, ({ secret, param, page }) => JSON.stringify([secret, param ?? page, param === null]))]
      .flatMap(([subject, [first, ...others]]) => {
        if (first === undefined) return [];
        const number = others.length + 1;
        return [{ subject, since: days.at(-1) ?? '', size: number, evidence: { ...first, pages: number } }];
      })
      .sort(bySize);
  },

  fix: ({ param, page }, website) =>
    param === null
      ? {
          kind: 'cleanup',
          name: nameOfCleanup(`Secrets in ${page}`),
          filters: { 'page.like': [page.replaceAll(HIDDEN, '*')] },
          from: null,
          erases: true,
        }
      : excludeParameter(param, website),
};

/** Stands for the secret: it must not be in findings as well. */
const HIDDEN = '…';

const NAMES_OF_TOKENS = /token|secret|passw|pwd|auth|session|signature|api_?key|jwt/i;
const STEPS_OF_TOKENS = /^(?:reset|reset-password|password|token|verify|confirm|activate|invite|unsubscribe|auth)$/i;
const EMAIL = /^[^\s@/]{1,64}@[^\s@/]{1,190}\.[a-z]{2,24}$/i;
const JWT = /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*$/;
const IBAN = /^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/;
const MIN_TOKEN = 16;

/** @param isNamed whether the name next to the text says that it is a token */
function secretIn(text: string, isNamed: boolean): Secret | undefined {
  if (EMAIL.test(text)) return 'email';
  if (isIban(text.replaceAll(/[ +]/g, '').toUpperCase())) return 'iban';
  const isRandom = text.length >= MIN_TOKEN && /^[\w.~-]+$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text);
  return JWT.test(text) || (isNamed && isRandom) ? 'token' : undefined;
}

function secretsInPath(page: string) {
  const [path = ''] = page.split(/[?#]/, 1);
  const steps = path.split('/');
  const secrets = steps.map((step, index) => secretIn(decoded(step), STEPS_OF_TOKENS.test(steps[index - 1] ?? '')));
  const secret = secrets.find((each) => each !== undefined);
  if (secret === undefined) return [];
  const hidden = steps.map((step, index) => (secrets[index] === undefined ? step : HIDDEN)).join('/');
  return [{ secret, param: null, page: hidden }];
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Whether a text is an IBAN with its right check digits. */
function isIban(text: string): boolean {
  if (!IBAN.test(text)) return false;
  const digits = `${text.slice(4)}${text.slice(0, 4)}`.replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % 97, 0) === 1;
}
