// The functions of FMI 2.0, model exchange and co-simulation.

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef void (*Logger)(void *environment, const char *name, Status status, const char *category, const char *message, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *environment, Status status);
    void *environment;
} Callbacks;
typedef struct {
    int again, terminate, nominals_changed, values_changed, next_defined;
    double next;
} EventInfo;

static Status told(Instance *I, bool well)
{
    if (well) return OK;
    if (I->interface.logger)
        ((Logger)I->interface.logger)(I->interface.environment, I->interface.name, ERROR, "logStatusError", "%s", I->message);
    return ERROR;
}

FMI const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI const char *fmi2GetVersion(void) { return "2.0"; }
FMI Status fmi2SetDebugLogging(void *I, int on, size_t n, const char *const categories[])
{
    (void)I, (void)on, (void)n, (void)categories;
    return OK;
}

FMI void *fmi2Instantiate(const char *name, int type, const char *token, const char *resources, const Callbacks *callbacks,
                          int visible, int logging)
{
    (void)type, (void)resources, (void)visible, (void)logging;
    Instance *I = token != NULL && strcmp(token, TOKEN) == 0 ? new_instance() : NULL;
    if (I == NULL) {
        if (callbacks != NULL && callbacks->logger)
            callbacks->logger(callbacks->environment, name ? name : "", ERROR, "logStatusError",
                              "The model could not be instantiated: its GUID is another one, or there is no memory.");
        return NULL;
    }
    snprintf(I->interface.name, sizeof I->interface.name, "%s", name ? name : "");
    if (callbacks != NULL) {
        I->interface.logger = (void (*)(void))callbacks->logger;
        I->interface.environment = callbacks->environment;
    }
    return I;
}

FMI void fmi2FreeInstance(void *I) { free(I); }

FMI Status fmi2SetupExperiment(Instance *I, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    (void)has_stop, (void)stop;
    if (has_tolerance && tolerance > 0) I->tolerance = tolerance;
    I->t = start;
    changed(I);
    return OK;
}

FMI Status fmi2EnterInitializationMode(Instance *I) { return told(I, initialize(I)); }
FMI Status fmi2ExitInitializationMode(Instance *I) { return told(I, begin(I)); }
FMI Status fmi2Terminate(Instance *I) { return (void)I, OK; }
FMI Status fmi2Reset(Instance *I) { return reset(I), OK; }

FMI Status fmi2GetReal(Instance *I, const unsigned references[], size_t n, double values[])
{
    for (size_t k = 0; k < n; k++)
        if (!get_value(I, references[k], &values[k])) return told(I, false);
    return OK;
}

FMI Status fmi2SetReal(Instance *I, const unsigned references[], size_t n, const double values[])
{
    for (size_t k = 0; k < n; k++)
        if (!set_value(I, references[k], values[k])) return told(I, false);
    return OK;
}

#define NONE_OF(TYPE, NAME) \
    FMI Status fmi2Get##NAME(Instance *I, const unsigned references[], size_t n, TYPE values[]) \
    { \
        (void)references, (void)values; \
        return n == 0 ? OK : told(I, failed(I, "The model has no variables of type " #NAME ".")); \
    } \
    FMI Status fmi2Set##NAME(Instance *I, const unsigned references[], size_t n, const TYPE values[]) \
    { \
        (void)references, (void)values; \
        return n == 0 ? OK : told(I, failed(I, "The model has no variables of type " #NAME ".")); \
    }
typedef const char *Text;
NONE_OF(int, Integer)
NONE_OF(int, Boolean)
NONE_OF(Text, String)

FMI Status fmi2GetFMUstate(Instance *I, void **state) { return told(I, keep_state(I, I, state)); }
FMI Status fmi2SetFMUstate(Instance *I, const void *state) { return restore_state(I, state), OK; }
FMI Status fmi2FreeFMUstate(Instance *I, void **state) { return (void)I, forget_state(state), OK; }
FMI Status fmi2SerializedFMUstateSize(Instance *I, void *state, size_t *size) { return (void)state, *size = sizeof *I, OK; }

FMI Status fmi2SerializeFMUstate(Instance *I, const void *state, char bytes[], size_t size)
{
    return told(I, fits(I, size) && memcpy(bytes, state, sizeof *I));
}

FMI Status fmi2DeSerializeFMUstate(Instance *I, const char bytes[], size_t size, void **state)
{
    return told(I, fits(I, size) && keep_state(I, bytes, state));
}

FMI Status fmi2GetDirectionalDerivative(Instance *I, const unsigned unknown[], size_t m, const unsigned known[], size_t n,
                                        const double seed[], double sensitivity[])
{
    (void)unknown, (void)m, (void)known, (void)n, (void)seed, (void)sensitivity;
    return told(I, failed(I, "Directional derivatives are not provided."));
}

// -- model exchange ------------------------------------------------------------------------------------------------------

FMI Status fmi2EnterEventMode(Instance *I) { return (void)I, OK; }
FMI Status fmi2EnterContinuousTimeMode(Instance *I) { return (void)I, OK; }

FMI Status fmi2NewDiscreteStates(Instance *I, EventInfo *info)
{
    bool any = false;
    const bool well = handle_events(I, &any);
    const double next = next_time(I);
    info->again = info->nominals_changed = 0;
    info->terminate = I->stopped;
    info->values_changed = any || MULTIPLIERS > 0;
    info->next_defined = next < HUGE_VAL;
    info->next = next;
    return told(I, well);
}

FMI Status fmi2CompletedIntegratorStep(Instance *I, int no_return, int *enter_event_mode, int *terminate)
{
    (void)no_return;
    *enter_event_mode = wants_event(I);
    *terminate = I->stopped;
    return OK;
}

FMI Status fmi2SetTime(Instance *I, double time)
{
    I->t = time;
    changed(I);
    return OK;
}

FMI Status fmi2SetContinuousStates(Instance *I, const double x[], size_t n) { return (void)n, set_states(I, x), OK; }
FMI Status fmi2GetContinuousStates(Instance *I, double x[], size_t n) { return (void)n, get_states(I, x), OK; }
FMI Status fmi2GetEventIndicators(Instance *I, double z[], size_t n) { return (void)n, shifted_indicators(I, z), OK; }

FMI Status fmi2GetDerivatives(Instance *I, double dx[], size_t n)
{
    get_derivatives(I, dx);
    return is_finite(dx, (int)n) ? OK : DISCARD;
}

FMI Status fmi2GetNominalsOfContinuousStates(Instance *I, double x[], size_t n)
{
    (void)I;
    for (size_t k = 0; k < n; k++) x[k] = nominal[k] > 0 ? nominal[k] : 1.0;
    return OK;
}

// -- co-simulation -------------------------------------------------------------------------------------------------------

FMI Status fmi2SetRealInputDerivatives(Instance *I, const unsigned references[], size_t n, const int orders[], const double values[])
{
    (void)references, (void)n, (void)orders, (void)values;
    return told(I, failed(I, "Inputs are constant between communication points."));
}

FMI Status fmi2GetRealOutputDerivatives(Instance *I, const unsigned references[], size_t n, const int orders[], double values[])
{
    (void)references, (void)n, (void)orders, (void)values;
    return told(I, failed(I, "Derivatives of outputs are not provided."));
}

FMI Status fmi2DoStep(Instance *I, double time, double step, int no_return)
{
    (void)no_return;
    if (I->stopped) return DISCARD;
    I->t = time;
    changed(I);
    if (!told(I, advance(I, time + step))) return I->stopped ? DISCARD : OK;
    return ERROR;
}

FMI Status fmi2CancelStep(Instance *I) { return told(I, failed(I, "There is no step to cancel.")); }

FMI Status fmi2GetStatus(Instance *I, int kind, Status *value)
{
    (void)I, (void)kind;
    *value = OK;
    return DISCARD;
}

FMI Status fmi2GetRealStatus(Instance *I, int kind, double *value)
{
    if (kind != 2) return DISCARD;
    *value = I->t; // of the last step that was done
    return OK;
}

FMI Status fmi2GetBooleanStatus(Instance *I, int kind, int *value)
{
    if (kind != 3) return DISCARD;
    *value = I->stopped;
    return OK;
}

FMI Status fmi2GetIntegerStatus(Instance *I, int kind, int *value) { return (void)I, (void)kind, (void)value, DISCARD; }
FMI Status fmi2GetStringStatus(Instance *I, int kind, const char **value) { return (void)I, (void)kind, (void)value, DISCARD; }
