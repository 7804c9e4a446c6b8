import { acceptedLanguage, ENGLISH, isLanguage, type Language, type Locale, localeOf } from '@hitherto/words';
import type { FastifyRequest } from 'fastify';
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { queryParameters } from './request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The language that the signed-in person has chosen, if any. */
    personsLanguage?: Language | null;
  }
}

const LocaleContext = createContext<Locale | undefined>(undefined);

interface InLocaleProps {
  readonly locale: Locale;
  readonly children: ComponentChildren;
}

/** Gives components the language of the page. */
export function InLocale({ locale, children }: InLocaleProps) {
  return <LocaleContext.Provider value={locale}>{children}</LocaleContext.Provider>;
}

/** The language of the page, for components. Everything else gets a `Locale` as an argument. */
export function useLocale(): Locale {
  const locale = useContext(LocaleContext);
  if (locale === undefined) throw new Error('This component is outside of a page that has a language.');
  return locale;
}

/** The language that the address of a page asks for: `?lang=de`. */
export function languageIn(query: URLSearchParams): Language | undefined {
  const asked = query.get('lang');
  return asked !== null && isLanguage(asked) ? asked : undefined;
}

/** The language of the page that a request gets (languages.md). */
export function localeFor(request: FastifyRequest, byDefault = request.locale ?? ENGLISH): Locale {
  const language =
    languageIn(queryParameters(request)) ??
    request.personsLanguage ??
    acceptedLanguage(request.headers['accept-language']);
  return language === undefined ? byDefault : localeOf(language);
}
