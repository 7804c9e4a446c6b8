import type { Website } from './website.ts';

/** What a list of websites needs of each. */
export type WebsiteName = Pick<Website, 'id' | 'url' | 'timeZone' | 'label'>;
