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
  const faults = [...shapeFaults, ...textFaults(body, shapeFaults)];
  return mergeFaults(faults, () => parseNewWebsite(inputOf(body, faults)));
}

/** Reads a body as changes to a website. Throws `InvalidRequest` with the faults of its shape and of its fields. */
export function fromUpdateBody(body: WebsiteBody, shapeFaults: readonly WireFault[]): WebsiteChanges {
  const faults = [...shapeFaults, ...textFaults(body, shapeFaults)];
  return mergeFaults(faults, () => parseWebsiteChanges(inputOf(body, faults)));
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

/** The fields of a body in the domain's words; those with a fault in their shape are left out. */
function inputOf(body: WebsiteBody, shapeFaults: readonly WireFault[]): WebsiteInput {
  const faulty = new Set(shapeFaults.map((fault) => fault.field));
  const sent = <K extends keyof WebsiteBody>(name: K) => (faulty.has(name) ? undefined : body[name]);
  const url = sent('url');
  const privacy = sent('privacy');
  const password = sent('password');
  const email = sent('email');
  const bots = sent('exclude_bots');
  const params = sent('exclude_params');
  const ips = sent('exclude_ips');
  return {
    ...(url === undefined ? {} : { url }),
    ...(privacy === undefined ? {} : { privacy: PRIVACIES[privacy] }),
    ...(password === undefined ? {} : { password }),
    ...(email === undefined ? {} : { emailReports: email === 1 }),
    ...(bots === undefined ? {} : { excludeBots: bots === 1 }),
    ...(params === undefined ? {} : { excludedParams: splitLines(params ?? '') }),
    ...(ips === undefined ? {} : { excludedIps: splitLines(ips ?? '') }),
  };
}

function joinLines(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join('\n');
}

/** A field with a fault in its shape gets no second fault: the domain has not seen what was sent. */
function mergeFaults<T>(shapeFaults: readonly WireFault[], parse: () => T): T {
  const [input, faults] = tryParse(parse);
  const known = new Set(shapeFaults.map(({ field }) => field));
  const all = [...shapeFaults, ...faults.filter(({ field }) => !known.has(field))];
  if (input === undefined || all.length > 0) throw new InvalidRequest(all);
  return input;
}

function tryParse<T>(parse: () => T): readonly [T | undefined, readonly WireFault[]] {
  try {
    return [parse(), []];
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return [undefined, error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) }))];
  }
}
