import type { Locale } from '@hitherto/words';
import { Fragment } from 'preact';
import type { Header } from '../shared/header.ts';
import { useLocale } from '../shared/locale.tsx';
import { ADD_YOURSELF, HOME, livePath, NEW_WEBSITE, statisticsPath, websitePath } from '../shared/paths.ts';
import { Snippet, type SnippetSource } from '../shared/snippet.tsx';
import { SparkLine } from '../shared/spark-line.tsx';
import { tileOf } from '../shared/tile.ts';
import { OwnerFrame } from './owner-frame.tsx';
import type { WebsiteRow, WebsitesView } from './websites-view.ts';

interface WebsitesPageProps {
  readonly header: Header;
  readonly view: WebsitesView;
  readonly snippet: SnippetSource;
  /** Whether the holder of the key that signed in can become the owner. */
  readonly canAddThemself: boolean;
}

/** The websites of an account at a glance. */
export function WebsitesPage({ header, view, snippet, canAddThemself }: WebsitesPageProps) {
  const { owner } = useLocale().words;
  const { rows, search, canAdd } = view;
  const isEmpty = rows.length === 0;
  const isWaiting = rows.some((row) => row.isWaiting);
  return (
    <OwnerFrame header={header} title={owner.websites} current="websites" canCopy={isWaiting}>
      <Headline view={view} />
      {canAddThemself && (
        <p class="notice">
          {owner.addYourself((words) => (
            <a href={ADD_YOURSELF}>{words}</a>
          ))}
        </p>
      )}
      <Accounts accounts={view.accounts} />
      <div class="websites-bar">
        {(search !== '' || !isEmpty) && <Search view={view} />}
        <Labels labels={view.labels} />
        {canAdd && (
          <a class="button" href={NEW_WEBSITE}>
            {owner.addWebsite}
          </a>
        )}
      </div>
      {isEmpty ? <NoWebsites view={view} /> : <WebsitesTable view={view} snippet={snippet} />}
      {!isEmpty && <Pager view={view} />}
    </OwnerFrame>
  );
}

/** Who came, and whether that is more or less. */
function Headline({ view: { totals, totalChange, total, totalIsExact } }: { readonly view: WebsitesView }) {
  const { words, format } = useLocale();
  const { owner } = words;
  if (totals === undefined || totals.visitors === 0) {
    const count = totals?.websites ?? total;
    return <h1>{count === 0 ? owner.websites : owner.websiteCount(count, totalIsExact, format.count(count))}</h1>;
  }
  const strong = (text: string) => <strong>{text}</strong>;
  return (
    <h1 class="lede">
      {owner.headline(totals.visitors, totals.websites, strong)}
      {totalChange?.good !== undefined &&
        owner.headlineChange(<strong class={totalChange.good ? 'good' : 'bad'}>{totalChange.text}</strong>)}
      {totalChange?.good === undefined && '.'}
      {totals.silent > 0 && <> {owner.needLook(totals.silent, strong)}</>}
    </h1>
  );
}

function Search({ view: { search, label } }: { readonly view: WebsitesView }) {
  const { owner } = useLocale().words;
  return (
    <search>
      <form class="search" method="get" action={HOME}>
        <label class="unseen" for="search">
          {owner.searchWebsites}
        </label>
        <input id="search" name="search" type="search" value={search} placeholder={owner.search} maxLength={255} />
        {label !== undefined && <input type="hidden" name="label" value={label} />}
        <button class="plain" type="submit">
          {owner.search}
        </button>
      </form>
    </search>
  );
}

/** The labels by which websites are grouped. */
function Labels({ labels }: Pick<WebsitesView, 'labels'>) {
  const { owner } = useLocale().words;
  if (labels.length === 0) return null;
  return (
    <nav class="segments" aria-label={owner.labels}>
      {labels.map(({ label, href, isShown }) => (
        <a key={label ?? ''} href={href} aria-current={isShown ? 'true' : undefined}>
          {label ?? owner.all}
        </a>
      ))}
    </nav>
  );
}

interface TableProps {
  readonly view: WebsitesView;
  readonly snippet: SnippetSource;
}

function WebsitesTable({ view, snippet }: TableProps) {
  const { owner, figures } = useLocale().words;
  const { rows, sorts, isByLabel } = view;
  const heads = {
    address: owner.website,
    current: owner.now,
    visitors: figures.visitors,
    change: owner.change,
  } as const;
  const head = (sort: keyof typeof heads) => {
    const link = sorts.find((one) => one.sort === sort);
    return (
      <th scope="col" aria-sort={link?.direction}>
        <a href={link?.href ?? HOME}>{heads[sort]}</a>
      </th>
    );
  };
  const byLabel = sorts.find(({ sort }) => sort === 'label');
  return (
    <div class="card websites">
      <table>
        <caption>{owner.websites}</caption>
        <thead>
          <tr>
            {head('address')}
            {head('current')}
            <th scope="col">{owner.days28}</th>
            {head('visitors')}
            {head('change')}
            <th scope="col">{owner.goalsAndFindings}</th>
            <th scope="col">
              {view.labels.length === 0 ? (
                <span class="unseen">{owner.settings}</span>
              ) : (
                <a href={byLabel?.href ?? HOME}>{owner.group}</a>
              )}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={row.id}>
              {isByLabel && row.label !== rows[index - 1]?.label && (
                <tr class="group">
                  <th colSpan={7} scope="rowgroup">
                    {row.label ?? owner.withoutLabel}
                  </th>
                </tr>
              )}
              <Row row={row} snippet={snippet} />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row, snippet }: { readonly row: WebsiteRow; readonly snippet: SnippetSource }) {
  const locale = useLocale();
  const { owner, statistics } = locale.words;
  const { id, address, account, label, hasSettings, current, days, change } = row;
  const tile = tileOf(address);
  const notes = [account, label].filter((note) => note !== undefined).join(' · ');
  return (
    <tr class={row.isWaiting ? 'waiting' : undefined}>
      <th scope="row">
        <span class={`tile tile-${tile.color}`} aria-hidden="true">
          {tile.text}
        </span>
        <span class="name">
          <a href={statisticsPath(id)}>{address}</a>
          {notes !== '' && <small>{notes}</small>}
        </span>
      </th>
      {row.isWaiting && hasSettings ? (
        <td class="install" colSpan={5}>
          <span class="tag wait">{statistics.waiting}</span>
          <Snippet websiteId={id} id={`snippet-${id}`} {...snippet} />
        </td>
      ) : (
        <>
          <td class="now" data-current={current}>
            {current > 0 && <span class="dot" aria-hidden="true" />}
            {current > 0 ? locale.format.count(current) : '–'}
          </td>
          <td class="days">
            <SparkLine values={days} />
          </td>
          <td class="visitors" data-visitors={row.visitors}>
            {row.isAtMost && <span title={statistics.atMost}>≤ </span>}
            {locale.format.count(row.visitors)}
          </td>
          <td class={judged(change?.good)}>{change?.arrow}</td>
          <td class="note">
            <Note row={row} locale={locale} />
          </td>
        </>
      )}
      <td class="more">
        {hasSettings && (
          <a href={websitePath(id)}>
            <span class="unseen">{owner.settingsOf(address)}</span>
            <svg viewBox="0 0 16 4" width="16" height="4" aria-hidden="true">
              <path d="M0 0h4v4H0zm6 0h4v4H6zm6 0h4v4h-4z" fill="currentColor" />
            </svg>
          </a>
        )}
      </td>
    </tr>
  );
}

/** What needs a look, or else the first goal. */
function Note({ row, locale: { words, format } }: { readonly row: WebsiteRow; readonly locale: Locale }) {
  const { owner, statistics } = words;
  const { id, silentHours, spikeAt, findings, goal, isWaiting } = row;
  if (isWaiting) return <span class="tag wait">{statistics.waiting}</span>;
  if (silentHours !== undefined) return <span class="tag bad">{owner.noVisitFor(silentHours)}</span>;
  if (spikeAt !== undefined) {
    return (
      <a class="tag bad" href={livePath(statisticsPath(id))}>
        {owner.spikeAt(spikeAt)}
      </a>
    );
  }
  if (findings !== undefined) {
    const { count, unknownHost } = findings;
    return (
      <a class="tag wait" href={websitePath(id, 'findings')}>
        {unknownHost === undefined || count > 1
          ? words.findings.count(count)
          : owner.droppedOf(unknownHost.hits, <bdi>{unknownHost.host}</bdi>)}
      </a>
    );
  }
  if (goal === undefined) return null;
  const more = goal.before === undefined ? undefined : goal.conversions - goal.before;
  return (
    <>
      <bdi>{goal.name}</bdi> {format.count(goal.conversions)}
      {more !== undefined && more !== 0 && (
        <span class={judged(more > 0)}>
          {more > 0 ? ' +' : ' \u2212'}
          {format.count(Math.abs(more))}
        </span>
      )}
    </>
  );
}

function judged(good: boolean | undefined): string {
  return good === undefined ? 'change' : good ? 'change good' : 'change bad';
}

function Pager({ view }: { readonly view: WebsitesView }) {
  const { words, format } = useLocale();
  const { owner } = words;
  const { previousHref, nextHref, total, totalIsExact } = view;
  return (
    <nav class="pager" aria-label={owner.pages}>
      {previousHref !== undefined && <a href={previousHref}>{owner.previous}</a>}
      {nextHref !== undefined && <a href={nextHref}>{owner.next}</a>}
      <span>{owner.websiteCount(total, totalIsExact, format.count(total))}</span>
      <a href={view.csvHref}>CSV</a>
    </nav>
  );
}

/** The accounts of somebody who is in several, to choose one. */
function Accounts({ accounts }: Pick<WebsitesView, 'accounts'>) {
  const { owner } = useLocale().words;
  if (accounts.length < 2) return null;
  const isAll = accounts.every(({ isShown }) => !isShown);
  return (
    <nav class="tabs" aria-label={owner.accounts}>
      <a href={HOME} aria-current={isAll ? 'page' : undefined}>
        {owner.all}
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
  const { owner } = useLocale().words;
  if (search !== '') {
    return (
      <p>
        {owner.noneFound(search)} <a href={HOME}>{owner.showAll}</a>
      </p>
    );
  }
  return (
    <section class="card empty">
      <h2>{owner.noWebsites}</h2>
      <p>{canAdd ? owner.addFirst : isReadOnly ? owner.readOnlyKey : owner.ownerAdds}</p>
    </section>
  );
}
