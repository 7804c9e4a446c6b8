import type { Fault } from '@hitherto/domain/base';
import type { TimeZone } from '@hitherto/domain/calendar';
import type { Definition } from '@hitherto/domain/definitions';
import { formatTime } from '@hitherto/domain/format';
import { MAX_LINKS, type SharedLink } from '@hitherto/domain/links';
import { revokeLinkPath, websitePath } from '../shared/paths.ts';
import { describedBy, Field } from './field.tsx';
import { hasLostPassword, LostPassword, type PasswordValues } from './lost-password.tsx';

export interface LinkFormValues extends PasswordValues {
  readonly name: string;
  /** The id of a segment; empty for none. */
  readonly segment: string;
  /** A day; empty for none. */
  readonly last_day: string;
}

export const EMPTY_LINK: LinkFormValues = { name: '', segment: '', last_day: '' };

interface LinksPageProps {
  readonly websiteId: string;
  readonly links: readonly SharedLink[];
  readonly segments: readonly Definition<'segment'>[];
  /** The website's. */
  readonly zone: TimeZone;
  readonly now: Date;
  readonly canWrite: boolean;
  /** The link that was just created, with its whole address, which nobody can show again. */
  readonly created: CreatedLinkProps | undefined;
  /** The owner's last action. */
  readonly done: string | undefined;
  readonly form: { readonly values: LinkFormValues; readonly faults: readonly Fault[]; readonly reason?: string };
}

/** The shared links of a website, and the form for a new one (sharing.md, "Shared links"). */
export function LinksPage(props: LinksPageProps) {
  const { links, created, done, canWrite } = props;
  return (
    <>
      {done !== undefined && (
        <p class="notice good" role="status">
          {done}
        </p>
      )}
      {created !== undefined && <CreatedLink {...created} />}
      <p>
        A link shows the statistics to everyone who has it, whatever the privacy of the page, until it expires or you
        revoke it.
      </p>
      {links.length > 0 && (
        <ul class="card definitions">
          {links.map((link) => (
            <LinkItem key={link.id} link={link} {...props} />
          ))}
        </ul>
      )}
      {links.length >= MAX_LINKS && <p>These are all {MAX_LINKS} links that a website can have.</p>}
      {canWrite && links.length < MAX_LINKS && <NewLink {...props} />}
    </>
  );
}

interface CreatedLinkProps {
  readonly name: string;
  readonly address: string;
  readonly hasPassword: boolean;
}

function CreatedLink({ name, address, hasPassword }: CreatedLinkProps) {
  return (
    <section class="notice good" role="status">
      <p>
        This is the link{' '}
        <strong>
          <bdi>{name}</bdi>
        </strong>
        , {hasPassword ? 'with a password' : 'without a password'}. Copy it now: it cannot be shown again.
      </p>
      <div class="snippet">
        <pre id="link">
          <code>{address}</code>
        </pre>
        <button type="button" data-copy="link" hidden>
          Copy
        </button>
      </div>
    </section>
  );
}

function LinkItem({ link, websiteId, segments, zone, now, canWrite }: LinksPageProps & { readonly link: SharedLink }) {
  const { id, name, segmentId, expiresAt, passwordHash } = link;
  const segment = segments.find((each) => each.id === segmentId);
  return (
    <li class="opens">
      <div>
        <bdi>
          <strong>{name}</strong>
        </bdi>
        <p class="hint">
          {segment === undefined ? 'All visits' : `Only visits of the segment “${segment.name}”`}
          {passwordHash !== null && ', with a password'}
          {expiresAt !== null && `, ${expiresAt <= now ? 'expired' : 'until'} ${formatTime(zone, expiresAt)}`}
        </p>
      </div>
      {canWrite && (
        <details>
          <summary aria-label={`Revoke ${name}`}>Revoke</summary>
          <form method="post" action={revokeLinkPath(websiteId, id)}>
            <p class="hint">The link stops working at once, for good.</p>
            <button class="danger" type="submit">
              Revoke it
            </button>
          </form>
        </details>
      )}
    </li>
  );
}

function NewLink({ websiteId, segments, form }: LinksPageProps) {
  const { values, faults, reason } = form;
  const isLost = hasLostPassword(values);
  const isGone = values.segment !== '' && segments.every(({ id }) => id !== values.segment);
  return (
    <form class="settings" method="post" action={websitePath(websiteId, 'links')}>
      <h2>New link</h2>
      {(faults.length > 0 || reason !== undefined) && (
        <p class="fault" role="alert">
          No link was created. {reason}
        </p>
      )}
      <Field name="name" label="Name" hint="Only you see it." faults={faults}>
        <input id="name" name="name" value={values.name} required maxLength={64} {...describedBy('name', faults)} />
      </Field>
      {(segments.length > 0 || isGone) && (
        <Field
          name="segment"
          label="Visits"
          hint="With a segment, the link shows its visits and no others."
          faults={faults}
        >
          <select id="segment" name="segment" {...describedBy('segment', faults)}>
            {/* It stays chosen, so that sending the form again does not show all visits instead. */}
            {isGone && (
              <option value={values.segment} selected>
                A deleted segment
              </option>
            )}
            <option value="">All visits</option>
            {segments.map(({ id, name }) => (
              <option key={id} value={id} selected={id === values.segment}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field name="last_day" label="Last day" hint="Empty for a link that does not expire." faults={faults}>
        <input id="last_day" name="last_day" type="date" value={values.last_day} {...describedBy('last_day', faults)} />
      </Field>
      <Field name="password" label="Password" hint={isLost ? undefined : 'Empty for none.'} faults={faults}>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="new-password"
          {...describedBy('password', faults, !isLost)}
        />
        <LostPassword values={values} without="Create the link without a password" />
      </Field>
      <button type="submit">Create the link</button>
    </form>
  );
}
