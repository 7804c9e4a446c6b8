import type { Fault } from '@hitherto/domain/base';
import { endOfDay, isDay, type TimeZone, zoneOf } from '@hitherto/domain/calendar';
import { type Definition, type DefinitionRepositories, SEGMENT } from '@hitherto/domain/definitions';
import { formatTime } from '@hitherto/domain/format';
import {
  createLink,
  LINK,
  type LinkDependencies,
  MAX_LINKS,
  parseNewLink,
  type SharedLink,
} from '@hitherto/domain/links';
import { listResources } from '@hitherto/domain/resources';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../../shared/locale.tsx';
import { sharePath, websitePath } from '../../shared/paths.ts';
import { originOf } from '../../shared/request.ts';
import { CopyButton } from '../../shared/snippet.tsx';
import { SelectField, TextField } from '../field.tsx';
import { hasLostPassword, LostPassword, requireLostPassword, withLostPassword } from '../lost-password.tsx';
import { type OpenedWebsite, type OpeningWebsites, openWebsite } from './opened.tsx';
import { parseWith } from './rejection.ts';
import type { ControlsProps, FormFields, ResourcePages } from './resource-pages.ts';

export interface LinkPagesDependencies extends LinkDependencies, OpeningWebsites {
  readonly definitions: DefinitionRepositories;
}

interface KnownSegments {
  readonly segments: readonly Definition<'segment'>[];
}

/** The shared links of a website (sharing.md, "Shared links"). */
export const LINKS: ResourcePages<LinkPagesDependencies, OpenedWebsite & KnownSegments, SharedLink> = {
  type: LINK,
  list: websitePath(':id', 'links'),
  limit: MAX_LINKS,
  forms: 'list-last',
  texts: ({ link }) => link,

  async open(deps, request) {
    const found = await openWebsite(deps, request, 'links');
    return { ...found, segments: await listResources(deps, SEGMENT, found.owner) };
  },

  nameOf: ({ name }) => name,

  summarize({ zone, now }, { website, segments, locale }, links) {
    const { link } = locale.words.resources;
    return links.map(({ segmentId, expiresAt, passwordHash }) => {
      const segment = segments.find(({ id }) => id === segmentId);
      const visits = segment === undefined ? link.allVisits : link.onlySegment(segment.name);
      const end =
        expiresAt &&
        link[expiresAt <= now() ? 'expired' : 'until'](formatTime(locale, zoneOf(website, zone), expiresAt));
      return `${visits}${passwordHash === null ? '' : link.withPassword}${end ?? ''}`;
    });
  },

  blank: () => ({}),
  controls: (_deps, { segments }, form) => <Controls {...form} segments={segments} />,
  placeFaults(faults, fields, { locale }) {
    const placed = faults.map((fault) => (fault.field === 'expires_at' ? { ...fault, field: 'last_day' } : fault));
    return withLostPassword(locale, fields, placed);
  },

  async create(deps, { owner, website, locale }, fields, request) {
    const input = readLink(locale, fields, zoneOf(website, deps.zone), deps.now());
    requireLostPassword(locale, fields);
    const { link, token } = await createLink(deps, owner, input);
    return { created: link, once: <NewLink link={link} address={`${originOf(request)}${sharePath(token)}`} /> };
  },
};

/** The link of a form, which ends with its last day. Throws `InvalidFields`. */
function readLink({ words }: Locale, { name, segment, last_day, password }: FormFields, zone: TimeZone, now: Date) {
  const isFaulty = !!last_day && !isDay(last_day);
  const faults: Fault[] = isFaulty
    ? [{ field: 'last_day', code: 'not_allowed', detail: words.resources.link.notADay }]
    : [];
  const expires_at = !last_day || isFaulty ? null : endOfDay(zone, last_day).toISOString();
  const input = { name: name?.trim(), segment: segment || null, expires_at, password: password || null };
  return parseWith(faults, () => parseNewLink(input, now));
}

/** A new link with its whole address, which nobody can show again. */
function NewLink({ link: { name, passwordHash }, address }: { readonly link: SharedLink; readonly address: string }) {
  const { copy, resources } = useLocale().words;
  const { link } = resources;
  return (
    <section class="notice good" role="status">
      <p>
        {link.created(
          <strong>
            <bdi>{name}</bdi>
          </strong>,
          passwordHash !== null,
        )}
      </p>
      <div class="snippet">
        <pre id="link">
          <code>{address}</code>
        </pre>
        <CopyButton of="link" text={copy.copy} />
      </div>
    </section>
  );
}

function Controls({ fields, faults, segments }: ControlsProps & KnownSegments) {
  const { resources } = useLocale().words;
  const { link } = resources;
  const isLost = hasLostPassword(fields);
  const isGone = Boolean(fields.segment) && segments.every(({ id }) => id !== fields.segment);
  return (
    <>
      <TextField
        name="name"
        label={resources.name}
        hint={link.nameHint}
        value={fields.name}
        faults={faults}
        required
        maxLength={64}
      />
      {(segments.length > 0 || isGone) && (
        <SelectField
          name="segment"
          label={link.visits}
          hint={link.visitsHint}
          value={fields.segment}
          faults={faults}
          options={[
            // It stays chosen, so that sending the form again does not show all visits instead.
            ...(isGone ? [[fields.segment ?? '', link.deletedSegment] as const] : []),
            ['', link.allVisits],
            ...segments.map(({ id, name }) => [id, name] as const),
          ]}
        />
      )}
      <TextField
        name="last_day"
        label={link.lastDay}
        hint={link.lastDayHint}
        value={fields.last_day}
        faults={faults}
        type="date"
      />
      <TextField
        name="password"
        label={resources.password}
        hint={isLost ? undefined : link.passwordHint}
        faults={faults}
        type="password"
        autocomplete="new-password"
      >
        <LostPassword values={fields} without={link.withoutPassword} />
      </TextField>
    </>
  );
}
