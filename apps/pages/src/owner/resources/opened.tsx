import type { TimeZone } from '@hitherto/domain/calendar';
import type { Owner } from '@hitherto/domain/resources';
import type { AccountKey } from '@hitherto/domain/webhooks';
import type { Website, WebsiteDependencies, WebsiteKey } from '@hitherto/domain/websites';
import type { Locale } from '@hitherto/words';
import type { FastifyRequest } from 'fastify';
import type { ComponentChildren, JSX } from 'preact';
import { headerOf } from '../../shared/header.ts';
import { localeFor } from '../../shared/locale.tsx';
import { type WebsitePage, websitePath } from '../../shared/paths.ts';
import { AccountTabs, accountsToChoose, type FindingAccounts } from '../accounts.tsx';
import { type ById, frameOf, websiteOf } from '../found-website.ts';
import { OwnerFrame, ReadOnlyNotice } from '../owner-frame.tsx';
import { accountOf, mayWrite } from '../session.ts';
import { WebsiteFrame } from '../website-frame.tsx';

/** The owner of the resources that a request is about. */
export interface Opened<Own extends Owner = Owner> {
  readonly owner: Own;
  /** The address of the list. */
  readonly list: string;
  readonly canWrite: boolean;
  readonly locale: Locale;
  /** Around each page. */
  readonly Frame: (props: FrameProps) => JSX.Element;
}

interface FrameProps {
  /** Of the document, if it is not the list. */
  readonly title?: string | undefined;
  /** Of the resource, if there is one. */
  readonly name?: string | undefined;
  readonly heading?: string | undefined;
  readonly children: ComponentChildren;
}

export interface OpenedWebsite extends Opened<WebsiteKey> {
  readonly website: Website;
}

export interface OpeningWebsites extends Pick<WebsiteDependencies, 'websites' | 'now' | 'newId'> {
  /** The installation's. */
  readonly zone: TimeZone;
}

/** The website in the path, if it is the owner's. */
export async function openWebsite(
  deps: Pick<OpeningWebsites, 'websites'>,
  request: FastifyRequest<ById>,
  page: WebsitePage,
): Promise<OpenedWebsite> {
  const website = await websiteOf(deps, request);
  const frame = frameOf(request, website, page);
  return {
    website,
    owner: { accountId: accountOf(request), websiteId: website.id },
    list: websitePath(website.id, page),
    canWrite: frame.canWrite,
    locale: localeFor(request),
    Frame: ({ title, heading, children }) => (
      <WebsiteFrame {...frame} {...(title === undefined ? {} : { title })}>
        {heading !== undefined && <h2>{heading}</h2>}
        {children}
      </WebsiteFrame>
    ),
  };
}

/** The account in the path, whose resources are listed at an address of its own. */
export async function openAccount(
  deps: FindingAccounts,
  request: FastifyRequest,
  listOf: (accountId: string) => string,
): Promise<Opened<AccountKey>> {
  const locale = localeFor(request);
  const name = locale.words.resources.webhook.title;
  const canWrite = mayWrite(request);
  const header = headerOf(request);
  const list = listOf(accountOf(request));
  const accounts = await accountsToChoose(deps, request, 'see_webhooks');
  return {
    owner: { accountId: accountOf(request) },
    list,
    canWrite,
    locale,
    Frame: ({ title, name: resource = title, children }) => (
      <OwnerFrame header={header} title={resource ?? name}>
        {resource !== undefined && (
          <p>
            <a href={list}>{name}</a>
          </p>
        )}
        <h1>{resource === undefined ? name : <bdi>{resource}</bdi>}</h1>
        {resource === undefined && <AccountTabs accounts={accounts} pathOf={listOf} />}
        <ReadOnlyNotice canWrite={canWrite} />
        {children}
      </OwnerFrame>
    ),
  };
}
