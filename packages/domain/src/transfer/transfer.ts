import type { Account } from '../access/account.ts';
import type { ApiKey } from '../access/api-key.ts';
import type { Alert } from '../alerts/alert.ts';
import { DomainError, type DomainErrorCode } from '../errors.ts';
import type { Annotation } from '../sharing/annotation.ts';
import type { SharedLink } from '../sharing/link.ts';
import type { Definition, DefinitionKind } from '../statistics/definitions/definition.ts';
import type { WebsiteKey } from '../statistics/definitions/definition-repository.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import type { Website } from '../website/website.ts';

/** A definition of this kind, with its website. */
export interface DefinitionItemOf<Kind extends DefinitionKind> extends WebsiteKey {
  readonly type: Kind;
  readonly definition: Definition<Kind>;
}

/** A shared link, with its website. */
export interface LinkItem extends WebsiteKey {
  readonly type: 'link';
  readonly link: SharedLink;
}

/** An annotation, with its website. */
export interface AnnotationItem extends WebsiteKey {
  readonly type: 'annotation';
  readonly annotation: Annotation;
}

/** An alert, with its website. */
export interface AlertItem extends WebsiteKey {
  readonly type: 'alert';
  readonly alert: Alert;
}

/**
 * A webhook as it is stored: its URL and its secret are encrypted, in base64, so that only an installation with the same key
 * can read them.
 */
export interface SealedWebhook extends Omit<Webhook, 'url' | 'secret' | 'failingSince'> {
  readonly sealedUrl: string;
  readonly sealedSecret: string | null;
}

/** A webhook, with its account. */
export interface WebhookItem {
  readonly type: 'webhook';
  readonly accountId: string;
  readonly webhook: SealedWebhook;
}

/** A definition of any kind, with its website. */
export type DefinitionItem = { readonly [Kind in DefinitionKind]: DefinitionItemOf<Kind> }[DefinitionKind];

/**
 * One record that moves from one installation to another. An account comes before its keys, websites and webhooks, a website
 * before its segments, goals, funnels, annotations and alerts, a segment before its links, and all these in the order of their
 * creation.
 */
export type TransferItem =
  | DefinitionItem
  | LinkItem
  | AnnotationItem
  | AlertItem
  | WebhookItem
  | { readonly type: 'account'; readonly account: Account }
  | { readonly type: 'key'; readonly key: ApiKey }
  | { readonly type: 'website'; readonly accountId: string; readonly website: Website };

/** How many records were moved. */
export interface TransferCounts {
  readonly accounts: number;
  readonly keys: number;
  readonly websites: number;
  readonly segments: number;
  readonly goals: number;
  readonly funnels: number;
  readonly links: number;
  readonly annotations: number;
  readonly alerts: number;
  readonly webhooks: number;
}

/** No records. */
export const NO_COUNTS: TransferCounts = {
  accounts: 0,
  keys: 0,
  websites: 0,
  segments: 0,
  goals: 0,
  funnels: 0,
  links: 0,
  annotations: 0,
  alerts: 0,
  webhooks: 0,
};

/** Moves everything from one installation to another, with any adapter (decisions.md, "Operations"). */
export interface Transfer {
  /** All records, from one snapshot, read as a stream. */
  exportAll(): AsyncIterable<TransferItem>;

  /**
   * Imports all records, or none if anything fails.
   *
   * @throws DomainError `not_empty` if there is an account already
   * @throws ItemRejected if a record conflicts with an earlier one, or its account or website is missing
   */
  importAll(items: AsyncIterable<TransferItem>): Promise<TransferCounts>;
}

/** Why a record cannot be imported; `not_found` means that its account or website is not among the records before it. */
export type RejectionCode = Extract<
  DomainErrorCode,
  | 'not_found'
  | 'name_taken'
  | 'url_taken'
  | 'alias_taken'
  | 'id_taken'
  | 'too_many_links'
  | 'too_many_annotations'
  | 'too_many_alerts'
  | 'too_many_webhooks'
  | `too_many_${DefinitionKind}s`
>;

const REASONS: Readonly<Record<RejectionCode, string>> = {
  not_found: 'there is no account with this id before it',
  name_taken: 'there is already an account with this name',
  url_taken: 'the account already has a website with this address',
  alias_taken: 'another website before it has one of its aliases',
  id_taken: 'there is already a record with this id or key hash',
  too_many_segments: 'the website has too many segments',
  too_many_goals: 'the website has too many goals',
  too_many_funnels: 'the website has too many funnels',
  too_many_links: 'the website has too many links',
  too_many_annotations: 'the website has too many annotations',
  too_many_alerts: 'the website has too many alerts',
  too_many_webhooks: 'the account has too many webhooks',
};

/** Other words for some of these, for objects of a website. */
const REASONS_OF_DEFINITIONS: Partial<typeof REASONS> = {
  not_found: 'the account has no website with this id before it',
  name_taken: 'the website already has one with this name',
};

/** The same for a link. */
const REASONS_OF_LINKS: Partial<typeof REASONS> = {
  not_found: 'the account has no website with this id before it, or the website has no such segment',
};

function otherReasons(item: TransferItem): Partial<typeof REASONS> {
  if ('definition' in item || item.type === 'annotation' || item.type === 'alert') return REASONS_OF_DEFINITIONS;
  return item.type === 'link' ? REASONS_OF_LINKS : {};
}

/** The code of an error that says why a record cannot be imported. */
export function rejectionCodeOf({ code }: DomainError): RejectionCode | undefined {
  return Object.keys(REASONS).find((known): known is RejectionCode => known === code);
}

/** A record conflicts with those before it, so nothing is imported. */
export class ItemRejected extends DomainError {
  override readonly name = 'ItemRejected';
  override readonly code: RejectionCode;
  /** Which record it is, counted from 1. */
  readonly position: number;
  /** Why, in words that can follow the place of the record. */
  readonly reason: string;

  constructor(code: RejectionCode, item: TransferItem, position: number, options?: ErrorOptions) {
    const reason = otherReasons(item)[code] ?? REASONS[code];
    super(code, `Record ${position}: ${reason}.`, options);
    this.code = code;
    this.position = position;
    this.reason = reason;
  }
}
