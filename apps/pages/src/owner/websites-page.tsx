import { formatCount } from '@hitherto/domain/format';
import { HOME, NEW_WEBSITE, statisticsPath, websitePath } from '../shared/paths.ts';
import { OwnerFrame } from './owner-frame.tsx';
import { SparkLine } from './spark-line.tsx';
import type { WebsitesView } from './websites-view.ts';

const PRIVACY = { public: 'Public page', private: 'Private page', password: 'Page with password' } as const;

interface WebsitesPageProps {
  readonly view: WebsitesView;
}

/** The websites of an account, with their visitors of the last 28 days. */
export function WebsitesPage({ view }: WebsitesPageProps) {
  const { rows, search, total, canWrite } = view;
  const isEmpty = rows.length === 0;
  return (
    <OwnerFrame title="Websites">
      <div class="title-row">
        <h1>Websites</h1>
        {canWrite && (
          <a class="button" href={NEW_WEBSITE}>
            Add a website
          </a>
        )}
      </div>
      {(search !== '' || !isEmpty) && (
        <search>
          <form class="search" method="get" action={HOME}>
            <label class="unseen" for="search">
              Search websites
            </label>
            <input id="search" name="search" type="search" value={search} placeholder="Search" maxLength={255} />
            <button class="plain" type="submit">
              Search
            </button>
          </form>
        </search>
      )}
      {isEmpty ? <NoWebsites search={search} canWrite={canWrite} /> : <WebsitesTable view={view} />}
      {(view.previousHref !== undefined || view.nextHref !== undefined) && (
        <nav class="pager" aria-label="Pages of the list">
          {view.previousHref !== undefined && <a href={view.previousHref}>Previous</a>}
          {view.nextHref !== undefined && <a href={view.nextHref}>Next</a>}
          <span>{total} websites</span>
        </nav>
      )}
    </OwnerFrame>
  );
}

function WebsitesTable({ view: { rows } }: { readonly view: WebsitesView }) {
  return (
    <div class="card websites">
      <table>
        <caption>Websites</caption>
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">28 days</th>
            <th scope="col">Visitors</th>
            <th scope="col">
              <span class="unseen">Settings</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, address, privacy, visitors, days }) => (
            <tr key={id}>
              <th scope="row">
                <a href={statisticsPath(id)}>{address}</a>
                <small>{PRIVACY[privacy]}</small>
              </th>
              <td>
                <SparkLine values={days} />
              </td>
              <td>{formatCount(visitors)}</td>
              <td>
                <a href={websitePath(id)} aria-label={`Settings of ${address}`}>
                  Settings
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoWebsites({ search, canWrite }: { readonly search: string; readonly canWrite: boolean }) {
  if (search !== '') {
    return (
      <p>
        No website has “{search}” in its address. <a href={HOME}>Show all</a>
      </p>
    );
  }
  return (
    <section class="card empty">
      <h2>No websites yet</h2>
      <p>
        {canWrite
          ? 'Add your first website, and put the line that you get into its pages. Visits are counted from then on.'
          : 'Your key is read-only. To add a website, sign in with a key of scope write.'}
      </p>
    </section>
  );
}
