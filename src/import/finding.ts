/** How a setting of another gateway arrives here. */
export type Status = 'exact' | 'approximate' | 'manual' | 'unsupported'

/** Against the other gateway. Looser: a call may be served, or money spent, that it refused. */
export type Direction = 'same' | 'tighter' | 'looser'

export interface Finding {
  /** `config.yaml:12`, `database:LiteLLM_TeamTable/ID`; empty for what no setting says. */
  source: string
  /** `model_list[2].litellm_params.model` */
  path: string
  status: Status
  direction: Direction
  /** What it became, e.g. `route "chat"`; null: nothing. */
  target: string | null
  message: string
}
