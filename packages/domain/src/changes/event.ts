/** Something that happened, for the webhooks of the account that ask for it: plain JSON, without any password, hash or key. */
export interface Event<Type extends string, Data> {
  readonly type: Type;
  readonly at: Date;
  readonly data: Data;
  readonly accountId: string;
  readonly websiteId: string;
}
