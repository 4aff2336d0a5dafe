import type { WireService } from '../../service.ts'

export const responsesService: WireService = {
  http: { routes: [{ method: 'POST', path: '/v1/responses' }] },
}
