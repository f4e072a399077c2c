"""transformers, as its users call it: generate() of the loaded checkpoint."""
import torch
import transformers


class TokenTimes:
    """A streamer: generate() hands it the prompt, then each token as it is chosen."""

    def __init__(self, on_token):
        self.on_token, self.sees_prompt = on_token, True

    def put(self, ids):
        if not self.sees_prompt:
            self.on_token(int(ids[0]))
        self.sees_prompt = False

    def end(self):
        """Nothing is held back that would have to be written now."""


class Peer:
    packages = ("transformers", "torch")

    def __init__(self, load):
        torch.set_num_threads(load.threads)
        dtype = torch.bfloat16 if load.precision == "bf16" else torch.float32
        self.model = transformers.AutoModelForCausalLM.from_pretrained(load.model, dtype=dtype).eval()
        self.settings = (f"{load.precision} weights and activations, generate(), attention "
                         f"{self.model.config._attn_implementation}, DynamicCache")

    @torch.inference_mode()
    def logits(self, ids):
        return self.model(torch.tensor([ids])).logits[0].float().numpy()

    @torch.inference_mode()
    def generate(self, ids, count, on_token):
        tokens = torch.tensor([ids])
        self.model.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=count, min_new_tokens=count,
                            do_sample=False, eos_token_id=None, pad_token_id=0, streamer=TokenTimes(on_token))
