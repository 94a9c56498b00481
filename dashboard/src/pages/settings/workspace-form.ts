import { LIMIT_FIELDS } from '../../components/limits/limits-fields.tsx'
import { type LimitsForm, limitsForm, limitsOf, limitsProblems } from '../../components/limits/limits-form.ts'
import { type ContentForm, contentForm, contentOf } from './content-form.ts'
import { type GuardrailForm, guardrailForm, guardrailOf, isGuardrailWhole } from './guardrail-form.ts'
import { isLoopsWhole, type LoopsForm, loopsForm, loopsOf, SIGNALS } from './loops/loops-form.ts'
import type { Workspace } from './workspace.ts'

/** What the configuration file may set of a workspace. */
const SETTINGS = ['limits', 'streaming', 'content', 'guardrail', 'direct_models', 'resale', 'loops'] as const
export type Setting = (typeof SETTINGS)[number]

export interface WorkspaceForm {
  description: string
  limits: LimitsForm
  streaming: boolean | null
  content: ContentForm
  guardrail: GuardrailForm
  loops: LoopsForm
  direct_models: boolean
  /** In percent; prices for single models are kept as they are. */
  markup: string
  prices: NonNullable<Workspace['resale']>['prices']
}

type Settings = Pick<Workspace, 'description' | Setting>

const NONE: Settings = {
  ...{ description: null, limits: null, streaming: null },
  ...{ content: null, guardrail: null, direct_models: null, resale: null, loops: null },
}

export function workspaceForm(settings: Settings = NONE): WorkspaceForm {
  const { description, limits, streaming, content, guardrail } = settings
  return {
    description: description ?? '',
    limits: limitsForm(limits),
    streaming,
    content: contentForm(content),
    guardrail: guardrailForm(guardrail),
    loops: loopsForm(settings.loops),
    direct_models: settings.direct_models ?? true,
    markup: settings.resale?.markup_percent ?? '',
    prices: settings.resale?.prices,
  }
}

/** What is sent; what belongs to the file is left out. */
export function settingsOf(form: WorkspaceForm, fixed: readonly Setting[] = []): Partial<Settings> {
  const settings = {
    limits: limitsOf(form.limits),
    streaming: form.streaming,
    content: contentOf(form.content),
    guardrail: guardrailOf(form.guardrail),
    direct_models: form.direct_models ? null : false,
    resale: resaleIn(form),
    loops: loopsOf(form.loops),
  }
  const own = Object.entries(settings).filter(([name]) => !fixed.includes(name as Setting))
  return { description: form.description.trim() || null, ...Object.fromEntries(own) }
}

function resaleIn({ markup, prices }: WorkspaceForm): Settings['resale'] {
  const percent = markup.trim()
  if (percent === '' && prices === undefined) return null
  return { ...(percent === '' ? {} : { markup_percent: percent }), ...(prices === undefined ? {} : { prices }) }
}

/** Those that belong to the file. */
export function fixedSettings(workspace: Workspace): Setting[] {
  return SETTINGS.filter((setting) => workspace[`${setting}_managed_by`] !== null)
}

export function isWorkspaceWhole({ limits, guardrail, loops }: WorkspaceForm): boolean {
  return Object.keys(limitsProblems(limits)).length === 0 && isGuardrailWhole(guardrail) && isLoopsWhole(loops)
}

/** Fields that show themselves what the gateway says of them. */
export const WORKSPACE_FIELDS: readonly string[] = [
  ...['description', 'streaming', 'content', 'guardrail.url', 'guardrail.timeout_ms', 'direct_models'],
  'resale.markup_percent',
  ...SIGNALS.flatMap(({ signal, thresholds }) => thresholds.map(({ name }) => `loops.${signal}.${name}`)),
  ...['loops.slow_seconds', 'loops.stop_minutes'],
  ...LIMIT_FIELDS,
]
