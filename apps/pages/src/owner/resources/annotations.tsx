import {
  ANNOTATION,
  type Annotation,
  type AnnotationDependencies,
  MAX_ANNOTATIONS,
  parseNewAnnotation,
} from '@hitherto/domain/annotations';
import { dayOf, zoneOf } from '@hitherto/domain/calendar';
import { createResource } from '@hitherto/domain/resources';
import type { Locale } from '@hitherto/words';
import { useLocale } from '../../shared/locale.tsx';
import { websitePath } from '../../shared/paths.ts';
import { TextField } from '../field.tsx';
import { type OpenedWebsite, type OpeningWebsites, openWebsite } from './opened.tsx';
import type { ControlsProps, FormFields, ResourcePages } from './resource-pages.ts';
import { updateOnce } from './versions.ts';

export interface AnnotationPagesDependencies extends AnnotationDependencies, OpeningWebsites {}

/** The annotations of a website (api.md, "Annotations"). */
export const ANNOTATIONS: ResourcePages<AnnotationPagesDependencies, OpenedWebsite, Annotation> = {
  type: ANNOTATION,
  list: websitePath(':id', 'annotations'),
  limit: MAX_ANNOTATIONS,
  newestFirst: true,
  forms: 'list-first',
  texts: ({ annotation }) => annotation,
  formClass: 'annotation-form',

  open: (deps, request) => openWebsite(deps, request, 'annotations'),
  nameOf: ({ text }) => text,
  summarize: (_deps, { locale }, annotations) => annotations.map((annotation) => summaryOf(locale, annotation)),
  describe: (_deps, { locale }, annotation) => (
    <>
      <bdi>{annotation.text}</bdi>, {summaryOf(locale, annotation)}
    </>
  ),

  blank: ({ zone, now }, { website }) => ({ day: dayOf(zoneOf(website, zone), now()) }),
  fieldsOf: (_deps, _found, { day, text, isPublic }) => ({ day, text, ...(isPublic ? { is_public: '1' } : {}) }),
  controls: (_deps, _found, form) => <Controls {...form} />,

  create: async (deps, { owner }, fields) => ({
    created: await createResource(deps, ANNOTATION, owner, parse(fields)),
  }),
  update: (deps, { owner }, stored, fields, precondition) =>
    updateOnce(deps, ANNOTATION, owner, stored, parse(fields), precondition),
};

function summaryOf({ format, words }: Locale, { day, isPublic }: Annotation): string {
  return `${format.fullDay(day)}, ${words.resources.annotation[isPublic ? 'public' : 'private']}`;
}

function parse({ day, text, is_public }: FormFields) {
  return parseNewAnnotation({ day, text, is_public: is_public === '1' });
}

/** The list has several forms, whose controls the id of the annotation tells apart. */
function Controls({ fields, faults, id = 'new' }: ControlsProps) {
  const { resources } = useLocale().words;
  return (
    <>
      <TextField
        name="day"
        id={`day-${id}`}
        label={resources.day}
        value={fields.day}
        faults={faults}
        type="date"
        required
      />
      <TextField
        name="text"
        id={`text-${id}`}
        label={resources.text}
        value={fields.text}
        faults={faults}
        maxLength={200}
        required
      />
      <label class="check">
        <input type="checkbox" name="is_public" value="1" checked={fields.is_public === '1'} />
        {resources.annotation.showToAll}
      </label>
    </>
  );
}
