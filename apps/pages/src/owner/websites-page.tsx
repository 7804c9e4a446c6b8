import { ENGLISH } from '@hitherto/words';
import { ADD_YOURSELF, HOME, NEW_WEBSITE, statisticsPath, websitePath } from '../shared/paths.ts';
import type { Header } from './header.ts';
import { OwnerFrame } from './owner-frame.tsx';
import { SparkLine } from './spark-line.tsx';
import type { WebsitesView } from './websites-view.ts';

const PRIVACY = { public: 'Public page', private: 'Private page', password: 'Page with password' } as const;

interface WebsitesPageProps {
  readonly header: Header;
  readonly view: WebsitesView;
  /** Whether whoever is signed in with a key can become the owner. */
  readonly canAddThemself: boolean;
}

/** The websites of an account, with their visitors of the last 28 days. */
export function WebsitesPage({ header, view, canAddThemself }: WebsitesPageProps) {
  const { rows, search, total, canAdd } = view;
  const isEmpty = rows.length === 0;
  return (
    <OwnerFrame header={header} title="Websites">
      <div class="title-row">
        <h1>Websites</h1>
        {canAdd && (
          <a class="button" href={NEW_WEBSITE}>
            Add a website
          </a>
        )}
      </div>
      {canAddThemself && (
        <p class="notice">
          You are signed in with a key. <a href={ADD_YOURSELF}>Add yourself</a>, to sign in with an address and a
          password, and to invite others.
        </p>
      )}
      <Accounts accounts={view.accounts} />
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
      {isEmpty ? <NoWebsites view={view} /> : <WebsitesTable view={view} />}
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
          {rows.map(({ id, account, hasSettings, address, privacy, visitors, days }) => (
            <tr key={id}>
              <th scope="row">
                <a href={statisticsPath(id)}>{address}</a>
                <small>{account === undefined ? PRIVACY[privacy] : `${account} · ${PRIVACY[privacy]}`}</small>
              </th>
              <td>
                <SparkLine values={days} />
              </td>
              <td>{ENGLISH.format.count(visitors)}</td>
              <td>
                {hasSettings && (
                  <a href={websitePath(id)} aria-label={`Settings of ${address}`}>
                    Settings
                  </a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The accounts of somebody who is in several, to choose one. */
function Accounts({ accounts }: Pick<WebsitesView, 'accounts'>) {
  if (accounts.length < 2) return null;
  const isAll = accounts.every(({ isShown }) => !isShown);
  return (
    <nav class="tabs" aria-label="Accounts">
      <a href={HOME} aria-current={isAll ? 'page' : undefined}>
        All
      </a>
      {accounts.map(({ id, name, isShown }) => (
        <a key={id} href={`${HOME}?account=${id}`} aria-current={isShown ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function NoWebsites({ view: { search, canAdd, isReadOnly } }: { readonly view: WebsitesView }) {
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
        {canAdd
          ? 'Add your first website, and put the line that you get into its pages. Visits are counted from then on.'
          : isReadOnly
            ? 'Your key is read-only. To add a website, sign in with a key of scope write.'
            : 'An owner of the account can add one, or let you see one.'}
      </p>
    </section>
  );
}
