export { escapeHtml } from './language/escape.js';
export { templateProblem, holdsTemplate, TEMPLATE_LANGUAGE } from './template-problem.js';
export { templateVariables } from './variables.js';
export { subjectProblem } from './subject.js';
export { RendererBusy, TemplateRenderer } from './renderer/template-renderer.js';
export type { RenderedParts, RenderJob, RenderLimits, TemplatePart } from './renderer/render-job.js';
