import { isDeepStrictEqual } from 'node:util';
import {
  type AccountEmail,
  DEFAULT_SETTINGS,
  InvalidFields,
  isEmailAddress,
  keptSettings,
  NO_COUNTS,
  parseWebsiteChanges,
  SETTINGS,
  settingsFrom,
  storedNameOf,
  type TransferCounts,
  type TransferItem,
  type Website,
  type WebsiteSettings,
} from '@hitherto/domain';
import { Value } from '@sinclair/typebox/value';
import { toAlertItem, toAlertLine } from './transfer-alerts.ts';
import { toAnnotationItem, toAnnotationLine } from './transfer-annotations.ts';
import { toDefinitionItem, toDefinitionLine } from './transfer-definitions.ts';
import { toLinkItem, toLinkLine } from './transfer-links.ts';
import {
  AlertLine,
  AnnotationLine,
  DefinitionLine,
  FORMAT,
  Footer,
  Header,
  ItemLine,
  LinkLine,
  WebhookLine,
} from './transfer-schema.ts';
import { toWebhookItem, toWebhookLine } from './transfer-webhooks.ts';

/** A line of the file cannot be imported; the message names the line, and none of its values. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** The line of a record, both counted from 1: the first line names the format. */
export function lineOf(position: number): number {
  return position + 1;
}

/** The lines of an export, with line breaks. */
export async function* writeLines(items: AsyncIterable<TransferItem>): AsyncGenerator<string> {
  const counts: Counts = { ...NO_COUNTS };
  yield line({ type: 'hitherto_export', format: FORMAT });
  for await (const item of items) {
    counts[`${item.type}s`] += 1;
    yield line(toLine(item));
  }
  const { accounts, keys, websites, ...parts } = counts;
  const more = Object.entries(parts).filter(([, count]) => count > 0);
  yield line({ type: 'end', accounts, keys, websites, ...Object.fromEntries(more) });
}

/** The records in the lines of an export. Throws `ImportError` at the first invalid line. */
export async function* readLines(lines: AsyncIterable<string>): AsyncGenerator<TransferItem> {
  const counts: Counts = { ...NO_COUNTS };
  let number = 0;
  let footer: TransferCounts | undefined;
  for await (const text of lines) {
    number += 1;
    if (footer !== undefined) throw new ImportError(`Line ${number}: there is data after the last line.`);
    const value = parseJson(text, number);
    if (number === 1) {
      if (!Value.Check(Header, value)) throw new ImportError('Line 1: this file was not made by "hitherto export".');
    } else if (Value.Check(Footer, value)) footer = { ...NO_COUNTS, ...value };
    else {
      const item = toItem(value, number);
      counts[`${item.type}s`] += 1;
      yield item;
    }
  }
  const isWhole = COUNT_NAMES.every((name) => footer?.[name] === counts[name]);
  if (!isWhole) throw new ImportError('The file is incomplete: its last line is missing, or its counts do not match.');
}

type Counts = { -readonly [Name in keyof TransferCounts]: number };
const COUNT_NAMES = [
  'accounts',
  'keys',
  'websites',
  'segments',
  'goals',
  'funnels',
  'links',
  'annotations',
  'alerts',
  'webhooks',
] as const;

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function parseJson(text: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ImportError(`Line ${number} is not JSON; the file may be truncated.`);
  }
}

function toLine(item: TransferItem): object {
  if ('definition' in item) return toDefinitionLine(item);
  if (item.type === 'link') return toLinkLine(item);
  if (item.type === 'annotation') return toAnnotationLine(item);
  if (item.type === 'alert') return toAlertLine(item);
  if (item.type === 'webhook') return toWebhookLine(item);
  if (item.type === 'account') {
    const { id, name, createdAt, email } = item.account;
    const line = { type: 'account', id, name, created_at: createdAt.toISOString() } as const;
    // Left out where there is none, so that versions that do not know it can import the file.
    return email === null ? line : { ...line, email: email.address, email_since: email.since.toISOString() };
  }
  if (item.type === 'key') {
    const { id, accountId, hash, scope, label, createdAt, expiresAt, revokedAt, lastUsedAt } = item.key;
    return {
      type: 'key',
      id,
      account_id: accountId,
      hash,
      scope,
      label,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      revoked_at: revokedAt?.toISOString() ?? null,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    };
  }
  const { website } = item;
  return {
    type: 'website',
    account_id: item.accountId,
    id: website.id,
    url: website.url,
    password_hash: website.passwordHash,
    ...Object.fromEntries(keptSettings(website).map((name) => [storedNameOf(name), website[name]])),
    created_at: website.createdAt.toISOString(),
    updated_at: website.updatedAt.toISOString(),
  };
}

function toItem(value: unknown, number: number): TransferItem {
  if (!Value.Check(ItemLine, value)) throw unknownFormat(number);
  if (Value.Check(DefinitionLine, value)) return readPart(value, number, toDefinitionItem);
  if (Value.Check(LinkLine, value)) return readPart(value, number, toLinkItem);
  if (Value.Check(AnnotationLine, value)) return readPart(value, number, toAnnotationItem);
  if (Value.Check(AlertLine, value)) return readPart(value, number, toAlertItem);
  if (Value.Check(WebhookLine, value)) return readPart(value, number, toWebhookItem);
  const time = (text: string | null) => (text === null ? null : new Date(text));
  const createdAt = new Date(value.created_at);
  if (value.type === 'account') {
    const email = emailOf(value.email, value.email_since, number);
    return { type: 'account', account: { id: value.id, name: value.name, createdAt, email } };
  }
  if (value.type === 'key') {
    const { id, account_id: accountId, hash, scope, label } = value;
    const times = {
      expiresAt: time(value.expires_at),
      revokedAt: time(value.revoked_at),
      lastUsedAt: time(value.last_used_at),
    };
    return { type: 'key', key: { id, accountId, hash, scope, label, createdAt, ...times } };
  }
  const website: Website = {
    id: value.id,
    url: value.url,
    passwordHash: value.password_hash,
    ...settingsOf(value, number),
    createdAt,
    updatedAt: new Date(value.updated_at),
  };
  if (website.privacy === 'password' && website.passwordHash === null) {
    throw new ImportError(`Line ${number}: this website has privacy "password" and no password.`);
  }
  rejectOtherForms(website, number);
  return { type: 'website', accountId: value.account_id, website };
}

/** A part of a website or an account. */
function readPart<Line extends { readonly type: string }>(
  line: Line,
  number: number,
  read: (line: Line) => TransferItem,
): TransferItem {
  try {
    return read(line);
  } catch (cause) {
    if (!(cause instanceof InvalidFields)) throw cause;
    throw new ImportError(`Line ${number}: this ${line.type} is invalid.`, { cause });
  }
}

/** Exports of versions before reports have no address. */
function emailOf(address: string | undefined, since: string | undefined, number: number): AccountEmail | null {
  if (address === undefined && since === undefined) return null;
  if (address !== undefined && since !== undefined && isEmailAddress(address)) {
    return { address, since: new Date(since) };
  }
  throw new ImportError(`Line ${number}: the e-mail address of this account is invalid, or its time is missing.`);
}

/** The settings in a line; those that it does not contain have their defaults. */
function settingsOf(line: Readonly<Record<string, unknown>>, number: number): WebsiteSettings {
  return settingsFrom((name) => {
    const value = line[storedNameOf(name)];
    if (value === undefined) return DEFAULT_SETTINGS[name];
    if (!SETTINGS[name].accepts(value)) throw unknownFormat(number);
    return value;
  });
}

function unknownFormat(number: number): ImportError {
  return new ImportError(`Line ${number}: this is not a record in the export format.`);
}

/** A file that was edited by hand must not import values that the API would reject. */
function rejectOtherForms({ url, ...website }: Website, number: number): void {
  const given = { url, ...settingsFrom((name) => website[name]) };
  try {
    if (isDeepStrictEqual({ ...parseWebsiteChanges(given) }, given)) return;
  } catch {
    // Reported below, because faults use other field names than the file.
  }
  throw new ImportError(`Line ${number}: the url or a setting of this website is invalid or not in normal form.`);
}
