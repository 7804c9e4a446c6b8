/** A website as responses show it. */
export interface WebsiteJson {
  readonly id: string;
  readonly url: string;
  readonly privacy: 0 | 1 | 2;
  readonly has_password: boolean;
  readonly email: 0 | 1;
  readonly report: 0 | 1 | 2;
  readonly exclude_bots: 0 | 1;
  readonly exclude_params: string | null;
  readonly page_rules: string | null;
  readonly exclude_ips: string | null;
  readonly time_zone: string | null;
  readonly aliases: string | null;
  readonly embed_origins: string | null;
  readonly label: string | null;
  readonly language: string | null;
  readonly engagement: 0 | 1;
  readonly created_at: string;
  readonly updated_at: string;
}
