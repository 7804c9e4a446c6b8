import { may, type Viewer } from '@hitherto/domain/access';
import { InvalidFields } from '@hitherto/domain/base';
import {
  type NewWebsite,
  parseNewWebsite,
  parseWebsiteChanges,
  type Website,
  type WebsiteChanges,
  type WebsiteInput,
} from '@hitherto/domain/websites';
import { InvalidRequest, type WireFault } from '@hitherto/http';
import { fieldNameOf, readSettings, SETTING_FIELDS, writeSettings } from '@hitherto/wire';
import { type ShapeFault, stringFaults } from '../requests/input.ts';
import { etagOf } from '../requests/versions.ts';
import type { WebsiteBody, WebsiteResource } from './schemas.ts';

/** Reads a body as a new website. Throws `InvalidRequest` with the faults of its shape and of its fields. */
export function fromCreateBody(body: WebsiteBody, shapeFaults: readonly ShapeFault[]): NewWebsite {
  return readBody(body, shapeFaults, parseNewWebsite);
}

/** Reads a body as changes to a website. Throws `InvalidRequest` with the faults of its shape and of its fields. */
export function fromUpdateBody(body: WebsiteBody, shapeFaults: readonly ShapeFault[]): WebsiteChanges {
  return readBody(body, shapeFaults, parseWebsiteChanges);
}

/** A field with a fault in its shape gets no second fault: the domain does not see the value. */
function readBody<T>(body: WebsiteBody, shapeFaults: readonly ShapeFault[], parse: (input: WebsiteInput) => T): T {
  const known = [...shapeFaults, ...stringFaults(body, shapeFaults)];
  const faulty = new Set(known.map(({ name }) => name));
  const [read, domainFaults] = tryParse(() => parse(inputOf(body, faulty)));
  const faults = [...known, ...domainFaults.filter(({ field }) => !faulty.has(field))];
  if (read === undefined || faults.length > 0) throw new InvalidRequest(faults);
  return read;
}

/**
 * A website as responses show it. Each field is named, here or in the table of settings, so that nothing else can leak. Who sees no
 * settings gets its address, its zone and its times.
 */
export function toResource(website: Website, viewer: Viewer): WebsiteResource {
  const { name, write } = SETTING_FIELDS.timeZone;
  const settings = seesSettings(website, viewer)
    ? { ...writeSettings(website), has_password: website.passwordHash !== null }
    : { [name]: write(website.timeZone) };
  return {
    id: website.id,
    url: website.url,
    ...settings,
    created_at: website.createdAt.toISOString(),
    updated_at: website.updatedAt.toISOString(),
  };
}

/** The entity tag of a website; what is shown without settings has one of its own. */
export function tagOf(website: Website, viewer: Viewer): string {
  return etagOf(website, seesSettings(website, viewer) ? undefined : WITHOUT_SETTINGS);
}

const WITHOUT_SETTINGS = 0;

function seesSettings({ id }: Website, viewer: Viewer): boolean {
  return may(viewer, 'see_settings', id);
}

/** The fields of a body in the domain's words, without the faulty ones. */
function inputOf(body: WebsiteBody, faulty: ReadonlySet<string>): WebsiteInput {
  const sent = <Field extends keyof WebsiteBody>(name: Field) => (faulty.has(String(name)) ? undefined : body[name]);
  return { ...readSettings(sent), url: sent('url'), password: sent('password') };
}

function tryParse<T>(parse: () => T): readonly [T | undefined, readonly WireFault[]] {
  try {
    return [parse(), []];
  } catch (error) {
    if (!(error instanceof InvalidFields)) throw error;
    return [undefined, error.faults.map((fault) => ({ ...fault, field: fieldNameOf(fault.field) }))];
  }
}
