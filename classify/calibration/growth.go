package calibration

const (
	// TrainGrowth is the growth, by documents, after which a training calibrates: so a sample of n
	// documents follows at least n/3 trainings.
	TrainGrowth = 0.5

	// RefitGrowth is the growth after which a Refit calibrates.
	RefitGrowth = 0.05
)
