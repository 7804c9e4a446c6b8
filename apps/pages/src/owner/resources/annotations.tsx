import {
  ANNOTATION,
  type Annotation,
  type AnnotationDependencies,
  MAX_ANNOTATIONS,
  parseNewAnnotation,
} from '@hitherto/domain/annotations';
import { dayOf, zoneOf } from '@hitherto/domain/calendar';
import { createResource } from '@hitherto/domain/resources';
import { ENGLISH } from '@hitherto/words';
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
  purpose: 'A note about a day, such as a release, which the chart of the statistics page marks.',
  submit: 'Add the annotation',
  formClass: 'annotation-form',

  open: (deps, request) => openWebsite(deps, request, 'annotations'),
  nameOf: ({ text }) => text,
  summarize: (_deps, _found, annotations) => annotations.map(summaryOf),
  describe: (_deps, _found, annotation) => (
    <>
      <bdi>{annotation.text}</bdi>, {summaryOf(annotation)}
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

function summaryOf({ day, isPublic }: Annotation): string {
  return `${ENGLISH.format.fullDay(day)}, ${isPublic ? 'public' : 'only for you'}`;
}

function parse({ day, text, is_public }: FormFields) {
  return parseNewAnnotation({ day, text, is_public: is_public === '1' });
}

/** The list has several forms, whose controls the id of the annotation tells apart. */
function Controls({ fields, faults, id = 'new' }: ControlsProps) {
  return (
    <>
      <TextField name="day" id={`day-${id}`} label="Day" value={fields.day} faults={faults} type="date" required />
      <TextField
        name="text"
        id={`text-${id}`}
        label="Text"
        value={fields.text}
        faults={faults}
        maxLength={200}
        required
      />
      <label class="check">
        <input type="checkbox" name="is_public" value="1" checked={fields.is_public === '1'} />
        Show it to everyone who sees the statistics
      </label>
    </>
  );
}
