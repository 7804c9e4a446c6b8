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
import { ENGLISH } from '@hitherto/words';
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
  purpose:
    'A link shows the statistics to everyone who has it, whatever the privacy of the page, until it expires or you revoke it.',
  add: 'New link',
  submit: 'Create the link',
  consequence: 'The link stops working at once, for good.',

  async open(deps, request) {
    const found = await openWebsite(deps, request, 'links');
    return { ...found, segments: await listResources(deps, SEGMENT, found.owner) };
  },

  nameOf: ({ name }) => name,

  summarize({ zone, now }, { website, segments }, links) {
    return links.map(({ segmentId, expiresAt, passwordHash }) => {
      const segment = segments.find(({ id }) => id === segmentId);
      const visits = segment === undefined ? 'All visits' : `Only visits of the segment “${segment.name}”`;
      const end =
        expiresAt &&
        `, ${expiresAt <= now() ? 'expired' : 'until'} ${formatTime(ENGLISH, zoneOf(website, zone), expiresAt)}`;
      return `${visits}${passwordHash === null ? '' : ', with a password'}${end ?? ''}`;
    });
  },

  blank: () => ({}),
  controls: (_deps, { segments }, form) => <Controls {...form} segments={segments} />,
  placeFaults(faults, fields) {
    const placed = faults.map((fault) => (fault.field === 'expires_at' ? { ...fault, field: 'last_day' } : fault));
    return withLostPassword(fields, placed);
  },

  async create(deps, { owner, website }, fields, request) {
    const input = readLink(fields, zoneOf(website, deps.zone), deps.now());
    requireLostPassword(fields);
    const { link, token } = await createLink(deps, owner, input);
    return { created: link, once: <NewLink link={link} address={`${originOf(request)}${sharePath(token)}`} /> };
  },
};

/** The link of a form, which ends with its last day. Throws `InvalidFields`. */
function readLink({ name, segment, last_day, password }: FormFields, zone: TimeZone, now: Date) {
  const isFaulty = !!last_day && !isDay(last_day);
  const faults: Fault[] = isFaulty
    ? [{ field: 'last_day', code: 'not_allowed', detail: 'Enter a day, such as 2026-12-31.' }]
    : [];
  const expires_at = !last_day || isFaulty ? null : endOfDay(zone, last_day).toISOString();
  const input = { name: name?.trim(), segment: segment || null, expires_at, password: password || null };
  return parseWith(faults, () => parseNewLink(input, now));
}

/** A new link with its whole address, which nobody can show again. */
function NewLink({ link: { name, passwordHash }, address }: { readonly link: SharedLink; readonly address: string }) {
  const { words } = useLocale();
  return (
    <section class="notice good" role="status">
      <p>
        This is the link{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        , {passwordHash === null ? 'without a password' : 'with a password'}. Copy it now: it cannot be shown again.
      </p>
      <div class="snippet">
        <pre id="link">
          <code>{address}</code>
        </pre>
        <CopyButton of="link" text={words.copy.copy} />
      </div>
    </section>
  );
}

function Controls({ fields, faults, segments }: ControlsProps & KnownSegments) {
  const isLost = hasLostPassword(fields);
  const isGone = Boolean(fields.segment) && segments.every(({ id }) => id !== fields.segment);
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="Only you see it."
        value={fields.name}
        faults={faults}
        required
        maxLength={64}
      />
      {(segments.length > 0 || isGone) && (
        <SelectField
          name="segment"
          label="Visits"
          hint="With a segment, the link shows its visits and no others."
          value={fields.segment}
          faults={faults}
          options={[
            // It stays chosen, so that sending the form again does not show all visits instead.
            ...(isGone ? [[fields.segment ?? '', 'A deleted segment'] as const] : []),
            ['', 'All visits'],
            ...segments.map(({ id, name }) => [id, name] as const),
          ]}
        />
      )}
      <TextField
        name="last_day"
        label="Last day"
        hint="Empty for a link that does not expire."
        value={fields.last_day}
        faults={faults}
        type="date"
      />
      <TextField
        name="password"
        label="Password"
        hint={isLost ? undefined : 'Empty for none.'}
        faults={faults}
        type="password"
        autocomplete="new-password"
      >
        <LostPassword values={fields} without="Create the link without a password" />
      </TextField>
    </>
  );
}
