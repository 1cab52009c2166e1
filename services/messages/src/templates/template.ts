import { NO_DESIGN, type DesignBody, type Editor } from '@postmesh/designs';

/** What a template asks of each recipient of a send; required when it is used outside of a fallback (spec 2-messages §4 rules 14 and 15). */
export interface TemplateVariable {
  name: string;
  required: boolean;
}

/** What a copy holds, in the form in which writes change it. */
export interface CopyFields extends DesignBody {
  /** '' until set */
  subject: string;
  preheader: string;
  from: { email: string; name: string } | null;
  replyTo: string | null;
}

/** A state of a template that is written once: its draft, its published copy, one of its versions. */
export interface TemplateCopy extends CopyFields {
  id: string;
  variables: TemplateVariable[];
}

/** A copy that is stored already, such as the one of a version, or one that is not yet. */
export type DraftCopy = CopyFields & Partial<Pick<TemplateCopy, 'id' | 'variables'>>;

/** What a template holds before anything is published. */
export const EMPTY_COPY: CopyFields & Pick<TemplateCopy, 'variables'> = {
  subject: '',
  preheader: '',
  from: null,
  replyTo: null,
  ...NO_DESIGN,
  variables: [],
};

/** A row of `templates`. */
export interface Template {
  id: string;
  accountId: string;
  createdAt: Date;
  /** last change of the name or of the published copy */
  updatedAt: Date;
  name: string;
  editor: Editor;
  /** another one with every change: whoever writes says which one it has read */
  revision: number;
  publishedId: string | null;
  draftId: string | null;
  draftAt: Date | null;
  /** number of the newest version; 0: never published */
  lastVersion: number;
}

/** Who published a version. */
export interface Publisher {
  type: 'user' | 'api_key';
  id: string;
}

/** A row of `template_versions`. */
export interface TemplateVersion {
  id: string;
  /** from 1, per template */
  version: number;
  publishedAt: Date;
  publisher: Publisher | null;
}

/** A template with its copies, as they were at one revision. */
export interface TemplateState {
  template: Template;
  /** undefined: there is none */
  draft: TemplateCopy | undefined;
  published: TemplateCopy | undefined;
}
