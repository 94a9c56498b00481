import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import type { OperationName } from '../api/client.ts'
import { useRefusal } from '../api/session.ts'
import { EmptyState } from './states.tsx'

export interface PermittedProps {
  to: OperationName
  /** A part of the page: says why it is empty. Otherwise there is nothing, as with a dialog that a link would open. */
  isPart?: boolean
  children: ReactNode
}

/** What only some roles may do or see, where a link of someone else's can lead. */
export function Permitted({ to, isPart = false, children }: PermittedProps) {
  const refusal = useRefusal(to)
  if (refusal === undefined) return children
  if (!isPart) return null
  return (
    <EmptyState title="You don’t have access to this" icon={Lock}>
      {refusal}. An administrator can change your role.
    </EmptyState>
  )
}
