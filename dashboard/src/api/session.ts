import { createContext, useContext } from 'react'
import type { OperationName, Reply } from './client.ts'

/** Who is signed in, and what they may do. */
export const SessionContext = createContext<Reply<'sessions.current'> | null>(null)

/** Why this operation is not offered; undefined where it is. The gateway decides, and checks every request. */
export function useRefusal(name: OperationName): string | undefined {
  const session = useContext(SessionContext)
  if (session === null || session.operations.includes(name)) return undefined
  const where = session.workspaces === null ? '' : ` in ${session.workspaces.join(', ')}`
  return `Your role, ${session.role}${where}, doesn’t include this`
}

/** Which of these operations the session includes. */
export function useMay(): (name: OperationName | undefined) => boolean {
  const session = useContext(SessionContext)
  return (name) => name === undefined || session === null || session.operations.includes(name)
}
