import { decodeParameter } from '../base/url.ts';
import { compileExcludedParameters, judgeParameter } from '../hits/excluded-parameters.ts';
import { readExcludedParam } from '../websites/exclusions.ts';
import type { Website } from '../websites/website.ts';
import { type Fix, NO_FIX } from './check.ts';

/** A query parameter in the address of a page. */
export interface PageParameter {
  readonly name: string;
  readonly value: string;
  /** The page without it. */
  readonly without: string;
}

/** Addresses with more parameters are nobody's pages, and would take long. */
const MAX_PARAMETERS = 5;

/** Finds the query parameters of stored pages that the settings of the website would still keep today. */
export function parametersIn({ excludedParams }: Website): (page: string) => PageParameter[] {
  const excluded = compileExcludedParameters(excludedParams);
  return (page) => {
    const start = page.indexOf('?');
    if (start === -1) return [];
    const parts = page.slice(start + 1).split('&');
    if (parts.length > MAX_PARAMETERS) return [];
    return parts.flatMap((part, index) => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part) ?? [];
      const decoded = decodeParameter(name);
      if (part === '' || judgeParameter(excluded, decoded).removedBy !== undefined) return [];
      const others = parts.filter((_, other) => other !== index).join('&');
      const without = `${page.slice(0, start)}${others === '' ? '' : `?${others}`}`;
      return [{ name: decoded, value: decodeParameter(value), without }];
    });
  };
}

/** Excludes a parameter as well, unless no setting can name it. */
export function excludeParameter(param: string, { excludedParams }: Website): Fix {
  const read = readExcludedParam(param);
  if (!('entry' in read)) return NO_FIX;
  return { kind: 'exclude_param', param, excludedParams: [...excludedParams, read.entry] };
}
