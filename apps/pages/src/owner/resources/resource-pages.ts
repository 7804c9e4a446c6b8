import type { Fault, Precondition } from '@hitherto/domain/base';
import type { Authored } from '@hitherto/domain/changes';
import type { Making, RecordedType, Resource, StoredType } from '@hitherto/domain/resources';
import type { Words } from '@hitherto/words';
import type { FastifyRequest } from 'fastify';
import type { ComponentChildren, JSX } from 'preact';
import type { ById } from '../found-website.ts';
import type { Opened } from './opened.tsx';

/** The fields of a form, as it was sent or as it is to be shown; a box that is not ticked is absent. */
export type FormFields = Readonly<Record<string, string>>;

/** A form as it is shown: of a new resource, or of a stored one. */
export interface ShownForm {
  /** `undefined` if the form cannot show what is stored. */
  readonly fields: FormFields | undefined;
  /** Of the stored resource that the form changes. */
  readonly id?: string;
  readonly version?: string | undefined;
  readonly faults?: readonly Fault[];
  /** Why nothing was saved, if that is about no field. */
  readonly reason?: string | undefined;
  /** The stored resource in words, if it differs from the one that the form showed. */
  readonly now?: ComponentChildren;
  readonly preview?: JSX.Element;
}

/** The state that the controls of a form show. */
export interface ControlsProps {
  readonly fields: FormFields;
  readonly faults: readonly Fault[];
  /** Of the stored resource, if there is one. */
  readonly id?: string | undefined;
}

/** The texts of a kind of resource. */
interface ResourceTexts {
  /** In a sentence. */
  readonly purpose: string;
  /** The heading of the form for a new resource, such as `Add a goal`. */
  readonly add?: string;
  /** The button of that form, if it is not “Save”. */
  readonly submit?: string;
  /** The heading of a page that changes a resource. */
  readonly change?: string;
  /** The heading and the button of a page that deletes a resource. */
  readonly delete?: string;
  /** What a deletion means. */
  readonly consequence?: string;
}

/** All that distinguishes the pages of a kind of resource from those of others; {@link resourcePages} serves them. */
export interface ResourcePages<Deps extends Making, Found extends Opened, Stored extends Resource> {
  readonly type: StoredType<Found['owner'], Stored, Deps> & RecordedType<Stored>;
  /** The route of the list. */
  readonly list: string;
  readonly limit: number;
  readonly newestFirst?: true;
  /**
   * Where forms are: each on a page of its own; or in the list, which shows a form for a new resource, and opens those of the
   * stored ones.
   */
  readonly forms: 'page' | 'list-first' | 'list-last';
  /** A stored resource has a page with more than its form. A saved one is shown there instead of in the list. */
  readonly hasPage?: true;

  readonly texts: (words: Words['resources']) => ResourceTexts;
  /** The class of the forms. */
  readonly formClass?: string;

  /** The owner in the address of a request, and what all pages need to know. Rejects with `not_found`. */
  open(deps: Deps, request: FastifyRequest<ById>): Promise<Found>;

  /** A notice above the list. */
  notice?(deps: Deps, found: Found): JSX.Element | undefined;
  nameOf(stored: Stored, found: Found): string;
  /** The resources in words, in their order. */
  summarize(
    deps: Deps,
    found: Found,
    stored: readonly Stored[],
  ): readonly ComponentChildren[] | Promise<readonly ComponentChildren[]>;
  /** A resource in words, where the list says too little to tell what was changed elsewhere. */
  describe?(deps: Deps, found: Found, stored: Stored): ComponentChildren | Promise<ComponentChildren>;
  /** Where the visits are counted that a resource chooses. */
  statisticsHref?(found: Found, stored: Stored): string;
  /** A notice to the owner before a resource is deleted. */
  warn?(deps: Deps, found: Found, stored: Stored): Promise<JSX.Element | undefined>;
  /** The parts of a resource's page above and below its form. */
  surroundings?(
    deps: Deps,
    found: Found,
    stored: Stored,
    request: FastifyRequest,
  ): Promise<{ readonly above: ComponentChildren; readonly below: ComponentChildren }>;

  /** The form for a new resource, from the parameters of its address; `undefined` if it cannot show these. */
  blank(deps: Deps, found: Found, query: URLSearchParams): FormFields | undefined;
  /** The form of a stored resource; `undefined` if it cannot show it. Absent where resources do not change. */
  fieldsOf?(deps: Deps, found: Found, stored: Stored): FormFields | undefined | Promise<FormFields | undefined>;
  controls(deps: Deps, found: Found, form: ControlsProps): JSX.Element | Promise<JSX.Element>;
  /** The faults of the domain, by the names of the form's fields. */
  placeFaults?(faults: readonly Fault[], fields: FormFields, found: Found): readonly Fault[];
  /** The form after one of its own buttons was pressed; `undefined` if it was none of them. */
  rearrange?(fields: FormFields): FormFields | undefined;
  /** Tells the effect of a form before it is saved. Throws `InvalidFields`. */
  preview?(deps: Deps, found: Found, fields: FormFields): Promise<JSX.Element>;

  /** Creates a resource. Throws `InvalidFields`. */
  create(deps: Deps & Authored, found: Found, fields: FormFields, request: FastifyRequest): Promise<Created<Stored>>;
  /** Changes a resource. Throws `InvalidFields`. */
  update?(
    deps: Deps & Authored,
    found: Found,
    stored: Stored,
    fields: FormFields,
    precondition: Precondition,
  ): Promise<unknown>;
  /** Deletes a resource, where that is more than to forget it. */
  remove?(deps: Deps & Authored, owner: Found['owner'], id: string, precondition: Precondition): Promise<unknown>;
}

export interface Created<Stored> {
  readonly created: Stored;
  /** Its secret, which only this response shows. */
  readonly once?: JSX.Element | undefined;
}
