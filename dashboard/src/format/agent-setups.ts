import { AGENT_SETUPS, type AgentSetup } from '../../../src/domain/wording/agent-setups.ts'

export { AGENT_SETUPS, type AgentSetup }
