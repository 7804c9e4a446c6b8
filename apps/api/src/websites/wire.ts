import {
  InvalidFields,
  type NewWebsite,
  parseNewWebsite,
  parseWebsiteChanges,
  type Website,
  type WebsiteChanges,
  type WebsiteInput,
} from '@hitherto/domain';
import { fieldNameOf, InvalidRequest, PRIVACIES, PRIVACY_NUMBERS, splitLines, type WireFault } from '@hitherto/http';
import { textFaults } from '../input.ts';
import type { WebsiteBody, WebsiteResource } from './schemas.ts';

/** Reads a body as a new website. Throws `InvalidRequest` with the faults of its shape and of its fields. */
export function fromCreateBody(body: WebsiteBody, shapeFaults: readonly WireFault[]): NewWebsite {
  return readBody(body, shapeFaults, parseNewWebsite);
}

/** Reads a body as changes to a website. Throws `InvalidRequest` with the faults of its shape and of its fields. */
export function fromUpdateBody(body: WebsiteBody, shapeFaults: readonly WireFault[]): WebsiteChanges {
  return readBody(body, shapeFaults, parseWebsiteChanges);
}

/** A field with a fault in its shape gets no second fault: the domain does not see what was sent. */
function readBody<T>(body: WebsiteBody, shapeFaults: readonly WireFault[], parse: (input: WebsiteInput) => T): T {
  const faults = [...shapeFaults, ...textFaults(body, shapeFaults)];
  const faulty = new Set(faults.map(({ field }) => field));
  const [read, domainFaults] = tryParse(() => parse(inputOf(body, faulty)));
  faults.push(...domainFaults.filter(({ field }) => !faulty.has(field)));
  if (read === undefined || faults.length > 0) throw new InvalidRequest(faults);
  return read;
}

/** A website as responses show it. Each member is named, so that nothing else can leak. */
export function toResource(website: Website): WebsiteResource {
  return {
    id: website.id,
    url: website.url,
    privacy: PRIVACY_NUMBERS[website.privacy],
    has_password: website.passwordHash !== null,
    email: website.emailReports ? 1 : 0,
    exclude_bots: website.excludeBots ? 1 : 0,
    exclude_params: joinLines(website.excludedParams),
    exclude_ips: joinLines(website.excludedIps),
    created_at: website.createdAt.toISOString(),
    updated_at: website.updatedAt.toISOString(),
  };
}

/** The strong entity tag of a website. It changes with every change, because `updatedAt` does. */
export function etagOf(website: Website): string {
  return `"${website.updatedAt.getTime().toString(36)}"`;
}

/** The fields of a body in the domain's words, without the faulty ones. */
function inputOf(body: WebsiteBody, faulty: ReadonlySet<string>): WebsiteInput {
  const sent = <K extends keyof WebsiteBody>(name: K) => (faulty.has(name) ? undefined : body[name]);
  const privacy = sent('privacy');
  const flagOf = (flag: 0 | 1 | undefined) => (flag === undefined ? undefined : flag === 1);
  const linesOf = (text: string | null | undefined) => (text === undefined ? undefined : splitLines(text ?? ''));
  return {
    url: sent('url'),
    privacy: privacy === undefined ? undefined : PRIVACIES[privacy],
    password: sent('password'),
    emailReports: flagOf(sent('email')),
    excludeBots: flagOf(sent('exclude_bots')),
    excludedParams: linesOf(sent('exclude_params')),
    excludedIps: linesOf(sent('exclude_ips')),
  };
}

function joinLines(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n');
}

function tryParse<T>(parse: () => T): readonly [T | undefined, readonly WireFault[]] {
  try {
    return [parse(), []];
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return [undefined, error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) }))];
  }
}
