import type { Body, Item } from '../../../api/client.ts'
import { type LimitsForm, limitsForm, limitsOf, limitsProblems } from '../../../components/limits/limits-form.ts'

export type Template = Item<'key-templates.list'>

/** A key template as form values. */
export interface TemplateForm {
  name: string
  workspace: string
  description: string
  /** Names and prefixes; empty: every model. */
  allowed: string[]
  maxKeys: string
  /** Empty: never. */
  maxDays: string
  limits: LimitsForm
}

export function templateForm(template: Template | null, workspace: string): TemplateForm {
  return {
    name: template?.name ?? '',
    workspace: template?.workspace ?? workspace,
    description: template?.description ?? '',
    allowed: template?.allowed_models ?? [],
    maxKeys: String(template?.max_keys ?? 1),
    maxDays: template === null ? '90' : template.max_days === null ? '' : String(template.max_days),
    limits: limitsForm(template?.limits ?? null),
  }
}

export function templateOf(form: TemplateForm): Body<'key-templates.put'> {
  return {
    workspace: form.workspace,
    description: form.description.trim() === '' ? null : form.description.trim(),
    allowed_models: form.allowed.length === 0 ? null : form.allowed,
    limits: limitsOf(form.limits),
    max_keys: Number(form.maxKeys),
    max_days: form.maxDays === '' ? null : Number(form.maxDays),
  }
}

export function isTemplateReady({ name, maxKeys, limits }: TemplateForm): boolean {
  return name.trim() !== '' && maxKeys !== '' && Object.keys(limitsProblems(limits)).length === 0
}
