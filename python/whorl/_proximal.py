"""Functions of the caller's in the place of proximal operators."""

import inspect
import sys


def adapted(prox):
    """prox(x, step) of arrays: a torch.nn.Module gets tensors on its device, and no gradients."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(prox, torch.nn.Module):
        return prox
    needed = [p for p in inspect.signature(prox.forward).parameters.values() if p.default is p.empty]
    takes_step = len(needed) > 1

    def of_module(x, step):
        device = next((p.device for p in prox.parameters()), torch.device("cpu"))
        with torch.no_grad():
            tensor = torch.as_tensor(x).to(device)
            result = prox(tensor, step) if takes_step else prox(tensor)
        return result if hasattr(x, "__cuda_array_interface__") else result.cpu()

    return of_module
