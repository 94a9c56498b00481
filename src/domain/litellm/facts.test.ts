import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type LitellmTeamFacts, teamDescription, teamOf } from './facts.ts'

describe('the description of a workspace tells alias and facts of a team', () => {
  const table: [text: string | null, alias: string | null, facts: LitellmTeamFacts][] = [
    [null, null, {}],
    ['Search', 'Search', {}],
    ['Search\nlitellm: {"metadata":{"cost":"c1"}}', 'Search', { metadata: { cost: 'c1' } }],
    ['litellm: {"team_id":"t-1"}', null, { team_id: 't-1' }],
  ]
  for (const [text, alias, facts] of table) {
    test(JSON.stringify(text), () => {
      assert.deepEqual(teamOf(text), { alias, facts })
      assert.equal(teamDescription(alias, facts), text)
    })
  }
  const read: [text: string, alias: string | null, facts: LitellmTeamFacts][] = [
    ['LiteLLM team Search & Co (t-1)', 'Search & Co', { team_id: 't-1' }],
    ['LiteLLM team (t-1)', null, { team_id: 't-1' }],
    ['edited\nlitellm: {broken}', 'edited', {}],
  ]
  for (const [text, alias, facts] of read) {
    test(`read only: ${JSON.stringify(text)}`, () => assert.deepEqual(teamOf(text), { alias, facts }))
  }
})
