import { Page } from '../../components/page.tsx'

export function RequestsPage() {
  return <Page title="Requests" />
}
